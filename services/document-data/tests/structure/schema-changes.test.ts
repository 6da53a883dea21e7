import { AppError } from '@sheaf/kit/errors'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import { checkDocument } from '../../src/store/integrity/check-document'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { changes, requireAgreement, type Change } from '../support/random-changes'
import { author, createTable, openStore, readText } from '../support/test-store'

describe('changes of the schema', () => {
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

  const readAll = async (docId: string) => {
    const ids = store.read(docId, ({ schema }) => schema.tables.map(({ tableId }) => tableId))
    const texts: Record<string, string> = {}
    for (const tableId of [...ids, '_grist_Tables', '_grist_Tables_column']) {
      texts[tableId] = await readText(store, docId, { tableId, hidden: true })
      JSON.parse(texts[tableId])
    }
    return texts
  }

  it('leave metadata, stored tables and cells in agreement, whatever their order, also after reopening', async () => {
    const run = async (list: readonly Change[]) => {
      const docId = await createTable(store, 'People', { Name: 'Text', Friend: 'Ref:People' })
      const gone = new Set<number>()
      let refs = new Set<number>()
      for (const change of list) {
        const before = await readAll(docId)
        let failure: unknown
        await store.transact(docId, author, change).catch((error: unknown) => (failure = error))
        if (failure !== undefined) {
          expect(failure).toBeInstanceOf(AppError)
          expect(await readAll(docId)).toEqual(before)
        }
        store.read(docId, (doc) => {
          requireAgreement(doc)
          const now = new Set(doc.schema.tables.flatMap((t) => t.columns.map(({ ref }) => ref)))
          for (const ref of refs) if (!now.has(ref)) gone.add(ref)
          for (const ref of now) expect(gone.has(ref)).toBe(false)
          refs = now
          return undefined
        })
      }
      const after = await readAll(docId)
      await store[Symbol.asyncDispose]()
      expect(checkDocument(pathOf(docId), { full: true })).toEqual([])
      store = await openStore(folder.path)
      expect(await readAll(docId)).toEqual(after)
    }
    await fc.assert(fc.asyncProperty(fc.array(changes, { maxLength: 12 }), run), { numRuns: 40 })
  })

  const pathOf = (docId: string) => `${folder.path}/${docId.slice(0, 2)}/${docId}/document.sqlite`
})
