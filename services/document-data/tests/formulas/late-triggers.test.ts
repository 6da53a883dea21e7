import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { Author } from '../../src/store/log/log'
import { addRecords, deleteRecords, updateRecords } from '../../src/store/records/records'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { countUnfinished } from '../../src/store/schema/schema'
import { openFormulaStore, readRows, type FormulaStore } from '../support/formula-store'
import { differencesAfterRedo } from '../support/redo'
import { author, createTable } from '../support/test-store'

/** A write by one of the users; rows are chosen by their place, modulo the number of rows. */
type Write =
  | { readonly kind: 'add'; readonly values: readonly number[] }
  | { readonly kind: 'set'; readonly places: readonly number[]; readonly value: number }
  | { readonly kind: 'give'; readonly place: number; readonly value: number }
  | { readonly kind: 'remove'; readonly place: number }

const small = fc.integer({ min: 0, max: 3 })
const place = fc.nat({ max: 20 })
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    values: fc.array(small, { minLength: 1, maxLength: 6 }),
  }),
  fc.record({
    kind: fc.constant('set' as const),
    places: fc.array(place, { minLength: 1, maxLength: 6 }),
    value: small,
  }),
  fc.record({ kind: fc.constant('give' as const), place, value: small }),
  fc.record({ kind: fc.constant('remove' as const), place }),
)

const by = (name: string): Author => ({
  ...author,
  person: { name, email: '', access: 'editors', isAnonymous: false },
})

async function create(store: DocumentStore): Promise<string> {
  const docId = await createTable(store, 'T', { A: 'Int', B: 'Int' })
  const add = (id: string, fields: Record<string, unknown>, deps: readonly string[] = []) =>
    store.transact(docId, author, (doc) => {
      const refs = deps.map((name) => doc.schema.get('T').byId.get(name)?.ref)
      const recalcDeps = deps.length > 0 ? JSON.stringify(refs) : undefined
      addStructure(doc, 'T', [{ id, fields: { type: 'Text', recalcDeps, ...fields } }])
    })
  await add('F', { isFormula: true, formula: '$A // 2' })
  await add('Same', { isFormula: true, formula: 'len(T.lookupRecords(A=$A))' })
  await add(
    'Seen',
    { isFormula: false, formula: '"%s%s/%s %s;" % (value or "", $F, $Same, user.Name)' },
    ['F', 'Same'],
  )
  await add('Count', { isFormula: false, formula: 'str(int(value or 0) + 1)', recalcWhen: 2 })
  await add('Chained', { isFormula: false, formula: 'str(int(value or 0) + len($Seen))' }, [
    'Seen',
    'A',
  ])
  await add('Read', { isFormula: true, formula: '"%s-%s" % ($Count, $Chained)' })
  return docId
}

async function apply(store: DocumentStore, docId: string, [change, name]: [Write, string]) {
  const ids = (await readRows(store, docId, 'T')).map(({ id }) => id)
  const at = (wanted: number) => ids[wanted % ids.length] ?? 0
  if (change.kind !== 'add' && ids.length === 0) return
  await store.transact(docId, by(name), (doc) => {
    const update = (rowIds: readonly number[], column: string, value: unknown) => {
      const cells = new Map([[column, rowIds.map(() => value)]]) as never
      updateRecords(doc, 'T', { rowIds, cells }, { noParse: true })
    }
    if (change.kind === 'add') {
      const cells = new Map([['A', change.values]]) as never
      addRecords(doc, 'T', { count: change.values.length, cells }, { noParse: true })
    } else if (change.kind === 'set') update([...new Set(change.places.map(at))], 'A', change.value)
    else if (change.kind === 'give') update([at(change.place)], 'Seen', `${change.value}`)
    else deleteRecords(doc, 'T', [at(change.place)])
  })
}

const settled = ({ store }: FormulaStore, docId: string) =>
  eventually(() =>
    Promise.resolve(store.read(docId, ({ schema }) => countUnfinished(schema) === 0)),
  )

describe('trigger formulas of which most cells are computed after their write', () => {
  it('give the same values as within it', async () => {
    await using folders = await tempDir()
    let runs = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(write, fc.constantFrom('Ada', 'Bo')), { minLength: 2, maxLength: 7 }),
        async (changes) => {
          const folder = `${folders.path}/${runs++}`
          await using at = await openFormulaStore(`${folder}-at`)
          await using late = await openFormulaStore(`${folder}-late`, { writeCells: 2 })
          const docs = [await create(at.store), await create(late.store)] as const
          for (const change of [
            [{ kind: 'add', values: [1, 2, 3, 0] }, 'Ada'],
            ...changes,
          ] as never[]) {
            await apply(at.store, docs[0], change)
            await apply(late.store, docs[1], change)
            await settled(late, docs[1])
            expect(await readRows(late.store, docs[1], 'T')).toEqual(
              await readRows(at.store, docs[0], 'T'),
            )
          }
          expect(differencesAfterRedo(late.store, docs[1])).toEqual([])
        },
      ),
      { numRuns: 8, endOnFailure: true },
    )
  })
})
