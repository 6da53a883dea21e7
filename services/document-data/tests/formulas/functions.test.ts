import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { addRecords } from '../../src/store/records/records'
import { addTables } from '../../src/store/structure/tables'
import { openFormulaStore, readRows } from '../support/formula-store'
import { author, createTable } from '../support/test-store'

/** A formula without columns, and its result as the API returns it. */
interface FunctionCase {
  readonly formula: string
  readonly value?: unknown
  readonly error?: string
}

const evaluator = join(__dirname, '../../evaluator')
const cases = JSON.parse(
  readFileSync(join(evaluator, 'tests/function-cases.json'), 'utf8'),
) as FunctionCase[]
/** Columns of one table: SQLite limits the width of a table. */
const AT_ONCE = 100

/** Programs round the last digit of transcendental functions differently. */
function isSame(found: unknown, value: unknown): boolean {
  if (typeof found === 'number' && typeof value === 'number')
    return Math.abs(found - value) <= 1e-9 * Math.max(1, Math.abs(value))
  return JSON.stringify(found) === JSON.stringify(value)
}

describe('functions of formulas', () => {
  it('return what is documented, and what Grist was seen to return', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 15_000 })
    const { store } = opened
    const docId = await createTable(store, 'Other', { A: 'Int' })
    const wrong: unknown[] = []
    for (let start = 0; start < cases.length; start += AT_ONCE) {
      const some = cases.slice(start, start + AT_ONCE)
      const columns = some.map(({ formula }, i) => ({
        id: `F${i}`,
        fields: { formula, isFormula: true, type: 'Any' },
      }))
      const tableId = `Cases${start}`
      await store.transact(docId, author, (doc) => addTables(doc, [{ id: tableId, columns }]))
      await store.transact(docId, author, (doc) => {
        addRecords(doc, tableId, { count: 1, cells: new Map() }, { noParse: true })
      })
      const [row] = await readRows(store, docId, tableId)
      some.forEach(({ formula, value = null, error }, i) => {
        const [found, failure] = [row?.fields[`F${i}`], row?.errors?.[`F${i}`]]
        if (failure !== error || (error === undefined && !isSame(found, value)))
          wrong.push({ formula, expected: error ?? value, found: failure ?? found })
      })
    }
    expect(wrong).toEqual([])
  })

  it('are all described in the reference and completed in the console, as they are, and no others', () => {
    const script = join(__dirname, '../../../../scripts/formula-functions.js')
    const run = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
    expect([run.status, run.stderr]).toEqual([0, ''])
  })
})

describe('the engine of formulas', () => {
  it('passes its tests in Python', () => {
    const run = spawnSync('python3', ['-m', 'unittest', 'discover', '-s', 'tests'], {
      cwd: evaluator,
      encoding: 'utf8',
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    })
    expect([run.status, run.stderr]).toEqual([0, expect.stringMatching(/^Ran \d\d+ tests/m)])
  })
})
