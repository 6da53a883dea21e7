import { createLogger } from '@sheaf/kit/logger'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { defaultFormulaLimits } from '../../src/config'
import { Formulas } from '../../src/formulas/formulas'
import type { DeriveCounts, TraceWrite } from '../../src/store/documents/write-trace'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { updateRecords } from '../../src/store/records/records'
import { author, addColumns, createTable, openStore } from '../support/test-store'

/** What traces of writes were told: who derived for which others, and the counts. */
class Traces {
  readonly derived: { of: string; others: string[]; counts?: DeriveCounts; failed?: boolean }[] = []

  readonly trace: TraceWrite = (traceparent) => {
    if (traceparent === '') return undefined
    return {
      traceparent,
      begins: () => {},
      applied: () => {},
      derives: (others) => {
        const seen: Traces['derived'][number] = {
          of: traceparent,
          others: others.map((other) => other.traceparent),
        }
        this.derived.push(seen)
        return { ends: (counts, failed) => void Object.assign(seen, { counts, failed }) }
      },
      ends: () => {},
    }
  }
}

describe('the trace of computing formulas', () => {
  it('belongs to the first traced write of a group, and names the other traced ones', async () => {
    const traces = new Traces()
    await using folder = await tempDir()
    await using formulas = Formulas.open(defaultFormulaLimits, createLogger('test'))
    await using store = await openStore(folder.path, {
      stages: formulas,
      traceWrite: traces.trace,
      groupMs: 60_000,
    })
    const docId = await createTable(store, 'T', { A: 'Int' })
    await addColumns(store, docId, 'T', new Map([['A', [1, 2, 3, 4, 5]]]))
    await store.transact(docId, author, (doc) => {
      const fields = { formula: '(lambda: $A + 1)()', isFormula: true, type: 'Any' }
      addStructure(doc, 'T', [{ id: 'B', fields }])
    })
    const write = (id: number, traceparent: string, fails = false) =>
      store.transact(docId, { ...author, traceparent }, (doc) => {
        const cells = new Map([['A', [id * 10]]])
        updateRecords(doc, 'T', { rowIds: [id], cells }, { noParse: true })
        if (fails) throw new Error('the write is refused')
      })
    await Promise.allSettled([
      write(1, ''),
      write(2, 'refused', true),
      write(3, 'first'),
      write(4, 'second'),
    ])
    const counts = { columns: 1, cells: 3, rounds: 1, pending: 0, stopped: 0 }
    expect(traces.derived).toMatchObject([
      { of: 'first', others: ['second'], counts, failed: false },
    ])
  })

  it('fails when the write is given up while its formulas are computed', async () => {
    const traces = new Traces()
    await using folder = await tempDir()
    await using formulas = Formulas.open(defaultFormulaLimits, createLogger('test'))
    await using store = await openStore(folder.path, {
      stages: formulas,
      traceWrite: traces.trace,
    })
    const docId = await createTable(store, 'T', { A: 'Int' })
    await addColumns(store, docId, 'T', new Map([['A', [1]]]))
    const written = store.transact(docId, { ...author, traceparent: 'first' }, (doc) => {
      const fields = { formula: 'while True: pass\nreturn 1', isFormula: true, type: 'Any' }
      addStructure(doc, 'T', [{ id: 'B', fields }])
    })
    await eventually(() => expect(traces.derived).toHaveLength(1))
    await store.lifeCycle.remove(docId)
    await expect(written).rejects.toMatchObject({ reason: 'DOCUMENT_DELETED' })
    await eventually(() => expect(traces.derived).toMatchObject([{ of: 'first', failed: true }]))
  })
})
