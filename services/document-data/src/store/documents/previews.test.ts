import { AppError } from '@sheaf/kit/errors'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import { changes, type Change } from '../../../tests/support/random-changes'
import {
  addColumns,
  author,
  createTable,
  openStore,
  readText,
} from '../../../tests/support/test-store'
import { quoteId } from '../../quoting/quote'
import type { Written } from '../document'
import type { DocumentStore } from './document-store'

let folder: TempDir
let store: DocumentStore
beforeAll(async () => {
  folder = await tempDir()
  store = await openStore(folder.path)
})
afterAll(async () => {
  await store[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** Every cell of every table of the file, its schema included. */
function dump(docId: string): string {
  return store.read<string>(docId, ({ connection }) => {
    const tables = connection.pluck<string>('SELECT name FROM sqlite_schema ORDER BY name').all()
    const isTable = connection.pluck<number>(
      "SELECT 1 FROM sqlite_schema WHERE name = ? AND type = 'table'",
    )
    const rows = tables
      .filter((name) => isTable.get(name) === 1)
      .map((name) => connection.prepare(`SELECT * FROM ${quoteId(name)}`).all())
    const schema = connection.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
    return JSON.stringify([schema, rows], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
  })
}

/** The error of a write that is refused, or the entry that it adds. */
const outcomeOf = (writing: Promise<Written<unknown>>) =>
  writing.then(
    ({ preview }) => preview?.entry,
    (error: unknown) => {
      expect(error).toBeInstanceOf(AppError)
      return (error as AppError).message
    },
  )

/** The latest entry of the log. */
function latestEntry(docId: string): string | undefined {
  return store.read<string | undefined>(docId, ({ connection }) =>
    connection.pluck<string>('SELECT operations FROM _sheaf_log ORDER BY seq DESC LIMIT 1').get(),
  )
}

describe('a preview of a write', () => {
  it('keeps nothing of any change, and shows the entry that the same write then adds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 8 }), async (list) => {
        const docId = await createTable(store, 'People', { A: 'Text', B: 'Int' })
        for (const change of list) {
          const run: Change = (doc) => change(doc)
          const before = [dump(docId), store.stateOf(docId)]
          const previewed = await outcomeOf(store.preview(docId, author, run))
          expect([dump(docId), store.stateOf(docId)]).toEqual(before)
          const { seq } = store.stateOf(docId)
          const written = await outcomeOf(store.transact(docId, author, run))
          if (typeof previewed === 'string') expect(written).toBe(previewed)
          else if (!previewed) expect(store.stateOf(docId).seq).toBe(seq)
          else expect(latestEntry(docId)).toBe(JSON.stringify(previewed.operations))
        }
      }),
      { numRuns: 30 },
    )
  })

  it('shares its transaction with no write that is sent at the same moment', async () => {
    const docId = await createTable(store, 'T', { A: 'Text' })
    const preview = () =>
      store.preview(docId, author, (doc) => {
        doc.connection.prepare('INSERT INTO T (manualSort, A) VALUES (1, ?)').run('tried')
      })
    await Promise.all([
      addColumns(store, docId, 'T', new Map([['A', ['one']]])),
      preview(),
      addColumns(store, docId, 'T', new Map([['A', ['two']]])),
      preview(),
    ])
    const text = await readText(store, docId, { tableId: 'T' })
    expect(text).toContain('one')
    expect(text).toContain('two')
    expect(text).not.toContain('tried')
  })
})
