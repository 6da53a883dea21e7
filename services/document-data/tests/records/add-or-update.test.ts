import { eventually } from '@sheaf/testkit/eventually'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import {
  addOrUpdateRecords,
  type AddOrUpdateOptions,
  type AddOrUpdateStep,
  type AddedOrUpdated,
} from '../../src/store/records/add-or-update'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { deleteRecords } from '../../src/store/records/records'
import type { Cell } from '../../src/values/column-type'
import {
  addColumns,
  author,
  buildWorkers,
  createTable,
  openStore,
  readText,
} from '../support/test-store'

const usual: AddOrUpdateOptions = {
  noParse: false,
  onMany: 'first',
  noAdd: false,
  noUpdate: false,
  allowEmptyRequire: false,
}

/** One step whose records have these columns. */
function step(
  require: Record<string, Cell[]>,
  fields: Record<string, Cell[]>,
  count = Object.values(require)[0]?.length ?? 1,
): AddOrUpdateStep {
  const places = Array.from({ length: count }, (_, place) => place)
  return {
    places,
    require: new Map(Object.entries(require)),
    fields: new Map(Object.entries(fields)),
  }
}

describe('addOrUpdateRecords', () => {
  let folder: TempDir
  let store: DocumentStore
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    folder = await tempDir()
    const indexRules = { minRows: 2_000, minScans: 2 }
    store = await openStore(folder.path, { maxIndexes: 2, indexRules })
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const put = async (
    step: AddOrUpdateStep,
    options: Partial<AddOrUpdateOptions> = {},
  ): Promise<AddedOrUpdated> => {
    const request = { count: step.places.length, groups: [step] }
    const { result } = await store.transact(docId, author, (doc) =>
      addOrUpdateRecords(doc, 'T', request, { ...usual, ...options }),
    )
    return result
  }
  const rows = async () =>
    (
      JSON.parse(await readText(store, docId, { tableId: 'T', hidden: true })) as {
        records: { id: number; fields: Record<string, unknown> }[]
      }
    ).records

  describe('on a small table', () => {
    beforeEach(async () => {
      docId = await createTable(store, 'T', { A: 'Text', N: 'Numeric', X: 'Any', C: 'ChoiceList' })
      await addColumns(
        store,
        docId,
        'T',
        new Map<string, Cell[]>([
          ['A', ['x', 'y', 'x', null]],
          ['N', [1, 2.5, 3, null]],
          ['X', [true, 1, '1', null]],
        ]),
      )
    })

    it('changes the rows found and adds the others', async () => {
      expect(await put(step({ A: ['y', 'new', 'x'] }, { N: [20, 30, 10] }))).toEqual({
        records: [[2], [5], [1]],
        added: [5],
        updated: [[2], [1]],
      })
      expect((await rows()).map(({ fields }) => [fields.A, fields.N])).toEqual([
        ['x', 10],
        ['y', 20],
        ['x', 3],
        [null, null],
        ['new', 30],
      ])
    })

    it.each([
      ['first', [[1]]],
      ['none', [[]]],
      ['all', [[1, 3]]],
    ] as const)('with several rows and %s changes %j', async (onMany, records) => {
      expect((await put(step({ A: ['x'] }, { N: [9] }), { onMany })).records).toEqual(records)
      const changed = (await rows()).filter(({ fields }) => fields.N === 9).map(({ id }) => id)
      expect(changed).toEqual(records[0])
    })

    describe('with cells that rows are expected to hold', () => {
      const expecting = (
        require: Record<string, Cell[]>,
        ...expected: (Record<string, Cell> | undefined)[]
      ): AddOrUpdateStep => ({
        ...step(require, { X: expected.map(() => 'written') }),
        expected: expected.map((cells) => cells && new Map(Object.entries(cells))),
      })
      const written = async () =>
        (await rows()).filter(({ fields }) => fields.X === 'written').map(({ id }) => id)

      it('changes them while they do', async () => {
        await put(
          expecting({ A: ['y', 'x', null] }, { N: 2.5, A: 'y' }, undefined, { N: null, C: null }),
        )
        expect(await written()).toEqual([1, 2, 4])
      })

      it.each<[string, AddOrUpdateStep, Partial<AddOrUpdateOptions>, object]>([
        ['one of them', expecting({ A: ['y', 'x'] }, { N: 2.5 }, { N: 2 }), {}, { recordId: '1' }],
        [
          'the second of all',
          expecting({ A: ['x'] }, { N: 1 }),
          { onMany: 'all' },
          { recordId: '3' },
        ],
        [
          'a row that is only looked at',
          expecting({ A: ['y'] }, { N: 9 }),
          { noUpdate: true },
          { recordId: '2' },
        ],
        [
          'a row to be added',
          expecting({ A: ['y', 'new'] }, { N: 2.5 }, { N: null }),
          {},
          { column: 'N' },
        ],
        [
          'a row that is not to be added',
          expecting({ A: ['new'] }, { N: 1 }),
          { noAdd: true },
          { column: 'N' },
        ],
      ])('changes nothing when %s does not', async (_, asked, options, metadata) => {
        const before = [await rows(), store.stateOf(docId).seq]
        await expect(put(asked, options)).rejects.toMatchObject({
          code: 'precondition',
          reason: 'CELL_CHANGED',
          metadata: { column: 'N', ...metadata },
        })
        expect([await rows(), store.stateOf(docId).seq]).toEqual(before)
      })

      it('adds a row of which nothing is expected', async () => {
        expect((await put(expecting({ A: ['new'] }, {}))).added).toEqual([5])
      })

      it('leaves several rows alone, whatever they hold, where none is to be chosen', async () => {
        await put(expecting({ A: ['x'] }, { N: 3 }), { onMany: 'none' })
        expect(await written()).toEqual([])
      })

      it('names a column that is not there', async () => {
        await expect(put(expecting({ A: ['y'] }, { zz: 1 }))).rejects.toMatchObject({
          code: 'invalid',
          reason: 'INVALID_COLUMN',
        })
      })

      it('sees what an earlier step of the request has changed', async () => {
        const groups = [
          step({ A: ['y'] }, { N: [7] }),
          { ...expecting({ N: [7] }, { A: 'y', N: 7 }), places: [1] },
        ]
        const { result } = await store.transact(docId, author, (doc) =>
          addOrUpdateRecords(doc, 'T', { count: 2, groups }, usual),
        )
        expect(result.records).toEqual([[2], [2]])
      })
    })

    it('finds null, numbers given as text, and true as the number that it equals', async () => {
      const found = async (require: Record<string, Cell[]>) =>
        (await put(step(require, {}), { onMany: 'all' })).records
      expect(await found({ A: [null] })).toEqual([[4]])
      expect(await found({ N: ['2.5', null] })).toEqual([[2], [4]])
      expect(await found({ X: [1, '1'] })).toEqual([[1, 2], [3]])
      expect(await found({ X: [true] })).toEqual([[1, 2]])
      expect(await found({ A: ['x', 'y'], N: [3, 2.5] })).toEqual([[3], [2]])
      expect(await found({ id: [2], A: ['y'] })).toEqual([[2]])
    })

    it('makes a row with the id that is required, below all others', async () => {
      await store.transact(docId, author, (doc) => deleteRecords(doc, 'T', [2]))
      expect((await put(step({ id: [500, 2] }, { A: ['far', 'gap'] }))).records).toEqual([
        [500],
        [2],
      ])
      expect((await put(step({ A: ['next'] }, {}))).added).toEqual([501])
      const sort = ['manualSort']
      const text = await readText(store, docId, { tableId: 'T', sort })
      const order = (JSON.parse(text) as { records: { id: number }[] }).records.map(({ id }) => id)
      expect(order).toEqual([1, 3, 4, 2, 500, 501])
    })

    it.each<[string, AddOrUpdateStep, object]>([
      ['two equal requirements', step({ A: [4, '4'] }, {}), { reason: 'REQUIRE_NOT_UNIQUE' }],
      ['an empty requirement', step({}, { A: ['z'] }), { reason: 'REQUIRE_EMPTY' }],
      ['an unknown column', step({ zz: [1] }, {}), { reason: 'INVALID_COLUMN' }],
      ['an unknown column to write', step({ A: ['x'] }, { zz: [1] }), { reason: 'INVALID_COLUMN' }],
      [
        'the id as a column to write',
        step({ A: ['x'] }, { id: [1] }),
        { reason: 'INVALID_COLUMN' },
      ],
      ['a list to look for', step({ C: ['a,b'] }, {}), { reason: 'INVALID_VALUE' }],
      ['an error to look for', step({ X: [['E', 'KeyError']] }, {}), { reason: 'INVALID_VALUE' }],
      ['an id that is none', step({ id: [1.5] }, {}), { reason: 'INVALID_ROW_ID' }],
      ['an id that no row can have', step({ id: [2 ** 31] }, {}), { reason: 'INVALID_ROW_ID' }],
      ['an id below 1', step({ id: [0] }, {}), { reason: 'INVALID_ROW_ID' }],
    ])('refuses %s, and changes nothing', async (_, request, refusal) => {
      const before = await rows()
      await expect(put(request)).rejects.toMatchObject({ code: 'invalid', ...refusal })
      expect(await rows()).toEqual(before)
    })

    it('matches every row by an empty requirement when that is allowed', async () => {
      const all = { allowEmptyRequire: true, onMany: 'all' } as const
      expect((await put(step({}, { N: [7] }), all)).updated).toEqual([[1, 2, 3, 4]])
      await expect(put(step({}, { N: [7, 8] }, 2), all)).rejects.toMatchObject({
        reason: 'REQUIRE_NOT_UNIQUE',
      })
    })
  })

  describe('on a big table', () => {
    const ROWS = 6_000
    const name = (i: number) => `n${i % 5_900}`
    beforeAll(async () => {
      docId = await createTable(store, 'T', { A: 'Text', N: 'Int', X: 'Any' })
      const list = (make: (i: number) => Cell) => Array.from({ length: ROWS }, (_, i) => make(i))
      const cells = new Map([
        ['A', list(name)],
        ['N', list((i) => i % 10)],
        ['X', list((i) => (i % 7 === 0 ? true : i))],
      ])
      await addColumns(store, docId, 'T', cells)
    })

    /** What a look at all rows in memory finds. */
    const model = (A: string, N: number | undefined, most: number) =>
      Array.from({ length: ROWS }, (_, i) => i)
        .filter((i) => name(i) === A && (N === undefined || i % 10 === N))
        .map((i) => i + 1)
        .slice(0, most)

    const check = () =>
      fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.integer({ min: 0, max: 6_000 }), { minLength: 1, maxLength: 40 }),
          fc.boolean(),
          fc.constantFrom('first' as const, 'all' as const),
          async (numbers, both, onMany) => {
            const names = numbers.map((n) => `n${n}`)
            const numbersOf = numbers.map((n) => n % 10)
            const require: Record<string, Cell[]> = both ? { A: names, N: numbersOf } : { A: names }
            const { records } = await put(step(require, {}), { onMany, noAdd: true })
            const most = onMany === 'first' ? 1 : Infinity
            expect(records).toEqual(
              names.map((A, at) => model(A, both ? numbersOf[at] : undefined, most)),
            )
          },
        ),
        { numRuns: 25 },
      )

    it('finds the same rows by looking at all of them and by an index, which it gets by itself', async () => {
      await check()
      const indexes = () =>
        store.read(docId, ({ connection }) =>
          connection.pluck("SELECT name FROM sqlite_master WHERE name GLOB '_sheaf_auto_*'").all(),
        )
      await eventually(() => indexes().length > 0)
      await check()
    })
  })
})
