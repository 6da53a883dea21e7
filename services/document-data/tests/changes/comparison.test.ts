import { readdir, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  ListDifferencesRequest,
  ListDifferencesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/history'
import type { AppError } from '@sheaf/kit/errors'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import type { ComparePlan } from '../../src/store/compare/compare-plan'
import { unpackPart } from '../../src/store/feed/change-parts'
import { takeBase } from '../support/redo'
import { TestInstance } from '../support/test-instance'
import { addColumns, buildWorkers, createTable, openStore } from '../support/test-store'

const at = (value: number) => ({ moment: { $case: 'seq' as const, value } })

describe('the differences between two moments', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    instance = await TestInstance.start()
  }, 240_000)
  afterAll(() => instance[Symbol.asyncDispose]())
  beforeEach(async () => {
    const { clients } = instance
    docId = await clients.createDocument()
    await clients.addTable(docId, 'Pets', { Age: 'Int' })
    await clients.add(docId, 'Pets', [{ Age: 3 }])
  })

  const setAge = (Age: number) =>
    instance.clients.update(docId, 'Pets', [{ id: 1, fields: { Age } }])

  async function list(
    request: Partial<ListDifferencesRequest>,
    role: 'editors' | 'viewers' = 'editors',
  ): Promise<ListDifferencesResponse[]> {
    const call = await instance.clients.as(docId, role)
    const whole = { docId, from: undefined, tableId: '', limit: 0, cursor: '', ...request }
    const responses: ListDifferencesResponse[] = []
    for await (const response of instance.clients.history.listDifferences(whole, call))
      responses.push(response)
    return responses
  }

  /** The age before and after, in the only changed row; undefined without one. */
  function agesIn(responses: readonly ListDifferencesResponse[]): unknown[] | undefined {
    const [operation] = responses.flatMap(({ operations }) => operations)
    if (operation?.operation?.$case !== 'updateRows') return undefined
    const [column] = operation.operation.value.columns
    const lists = [column?.oldValuesJson, column?.newValuesJson]
    return lists.flatMap((json) => JSON.parse(Buffer.from(json ?? []).toString()) as unknown[])
  }

  it('are those of exactly these moments, while the document is written', async () => {
    for (let age = 10, seq = 4; age < 30; age++, seq += 2) {
      await setAge(age)
      // The latest moment becomes a former one at any point of the comparison.
      const [responses] = await Promise.all([list({ from: at(3), to: at(seq) }), setAge(-age)])
      expect([responses[0]?.from?.seq, responses[0]?.to?.seq]).toEqual([3, seq])
      expect(agesIn(responses)).toEqual([3, age])
    }
  })

  it.each<[string, Partial<ListDifferencesRequest>, string]>([
    ['no first moment', {}, 'from is required'],
    ['a moment that is neither', { from: { moment: undefined } }, 'must have a seq or a time'],
    ['a negative limit', { from: at(1), limit: -1 }, 'limit'],
    ['a limit beyond the largest', { from: at(1), limit: 10_001 }, 'limit'],
    ['a cursor of another document', { from: at(1), cursor: 'abc' }, 'cursor'],
    ['a moment in the future', { from: at(1), to: at(99) }, 'to: change 99 is in the future'],
  ])('are refused for %s', async (_, request, message) => {
    const error = await list(request).catch((thrown: unknown) => thrown as AppError)
    expect(error).toMatchObject({ code: 'invalid', message: expect.stringContaining(message) })
  })

  it('are refused to viewers', async () => {
    const error = await list({ from: at(1) }, 'viewers').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'forbidden' })
  })
})

/** Whether this process, with its threads, has a file open. */
async function isOpen(path: string): Promise<boolean> {
  const names = await readdir('/proc/self/fd')
  const targets = await Promise.all(
    names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
  )
  return targets.includes(path)
}

describe.each([
  ['in a thread', 2],
  ['on the event loop', 0],
])('a comparison of two files %s', (_, workers) => {
  it('is complete, and leaves no file open, also when its reader leaves', async () => {
    buildWorkers()
    await using folder = await tempDir()
    await using store = await openStore(join(folder.path, 'documents'), { workers })
    const docId = await createTable(store, 'T', { A: 'Text' })
    const otherPath = join(folder.path, 'other.sqlite')
    await writeFile(otherPath, takeBase(store, docId).bytes)
    const texts = Array.from({ length: 20_000 }, (_, i) => `text ${i}`)
    await addColumns(store, docId, 'T', new Map([['A', texts]]))
    const plan: ComparePlan = {
      export: 'comparison',
      otherPath,
      otherIsTarget: false,
      answer: 'list',
      tableRef: undefined,
      position: undefined,
      maxRows: undefined,
    }
    const rowIds: number[] = []
    for await (const bytes of (await store.readExport(docId, () => plan)).chunks)
      for (const operation of unpackPart(bytes).operations)
        if ('rowIds' in operation) rowIds.push(...operation.rowIds)
    expect(rowIds).toEqual(texts.map((_, i) => i + 1))
    for await (const bytes of (await store.readExport(docId, () => plan)).chunks) {
      expect([bytes.length > 0, await isOpen(otherPath)]).toEqual([true, true])
      break
    }
    await eventually(async () => expect(await isOpen(otherPath)).toBe(false))
  }, 120_000)
})
