import { tempDir } from '@sheaf/testkit/temp-dir'
import { author, createTable, openStore } from '../../../tests/support/test-store'
import type { DocumentReader } from '../document'
import { revertChange } from '../revert/revert'
import { updateColumns } from '../structure/column-updates'
import { restoreMoment } from './restore-moment'

it('undoes a restore across changes that passed one id from column to column', async () => {
  await using folder = await tempDir()
  await using store = await openStore(folder.path, { workers: 0 })
  const docId = await createTable(store, 'T', { A: 'Text', B: 'Text', C: 'Text' })
  const { seq } = store.stateOf(docId)
  const names = () =>
    store.read<object>(docId, ({ schema }: DocumentReader) => ({
      names: schema.get('T').columns.map(({ id }) => id),
    }))
  const rename = (ids: Record<string, string>) =>
    store.transact(docId, author, (doc) =>
      updateColumns(
        doc,
        'T',
        Object.entries(ids).map(([id, colId]) => ({ id, change: { colId } })),
      ),
    )
  const first = names()
  await rename({ B: 'D', A: 'B' })
  await rename({ B: 'E', C: 'B' })
  const last = names()
  await store.transact(docId, author, (doc) => restoreMoment(doc, { seq }))
  expect(names()).toEqual(first)
  await store.transact(docId, author, (doc) => revertChange(doc, doc.seq))
  expect(names()).toEqual(last)
})
