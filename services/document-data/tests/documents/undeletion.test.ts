import { randomUUID } from 'node:crypto'
import { add, createTable, openInstances, read, reasonOf } from '../support/replicated-instances'
import { startStandInDirectory } from '../support/stand-in-directory'
import { buildWorkers } from '../support/test-store'

it('a document that directory has still is not deleted to make another one of it', async () => {
  buildWorkers()
  await using instances = await openInstances()
  await using directory = await startStandInDirectory(instances.authority, 'one')
  await using instance = await instances.startLocal(directory, 'one')
  const docId = await createTable(instance)
  await add(instance, docId, 'a')
  const { documents } = instance.clients
  const undelete = async (made: string) =>
    documents.createFromDeleted(
      { docId: made, deletedDocId: docId },
      await instance.clients.asSystem(),
    )
  expect(await reasonOf(undelete(randomUUID()))).toBe('DELETED_DOCUMENT_NOT_FOUND')
  expect((await read(instance, docId)).text).toContain('"a"')

  directory.deleted.add(docId)
  const made = randomUUID()
  await undelete(made)
  expect((await read(instance, made)).text).toContain('"a"')
  expect(await reasonOf(read(instance, docId))).toBe('DOCUMENT_DELETED')
})
