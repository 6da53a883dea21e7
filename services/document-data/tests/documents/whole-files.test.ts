import { randomUUID } from 'node:crypto'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import Database from 'better-sqlite3'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { writeUndeleted } from '../../src/moments/undeleted-file'
import { adoptSnapshot } from '../../src/store/documents/adopted-file'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { writeRestored } from '../../src/store/documents/restored-file'
import { readEpoch } from '../../src/store/log/publish-state'
import { Connection, openReader } from '../../src/store/sqlite/connections'
import { addValues } from '../support/cluster-documents'
import { author, createTable, openStore } from '../support/test-store'

let folder: TempDir
let store: DocumentStore
beforeAll(async () => {
  folder = await tempDir()
  store = await openStore(folder.path, { keptDays: 30, workers: 0 })
})
afterAll(async () => {
  await store[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** Lets the closing of connections leave what was written ahead where it is, as on a full disk, until the result is disposed of. */
function keepOpen(): Disposable {
  const others: Database.Database[] = []
  const { close } = Connection.prototype
  const spy = jest.spyOn(Connection.prototype, 'close').mockImplementation(function (
    this: Connection,
  ) {
    const other = new Database(this.db.name)
    other.prepare('SELECT count(*) FROM sqlite_master').get()
    others.push(other)
    close.call(this)
  })
  return {
    [Symbol.dispose]() {
      spy.mockRestore()
      for (const other of others) other.close()
    },
  }
}

async function epochOfFile(path: string): Promise<string> {
  const alone = `${path}.alone`
  await copyFile(path, alone)
  const connection = openReader(alone)
  try {
    return readEpoch(connection)
  } finally {
    connection.close()
  }
}

const chunksOf = (bytes: Buffer) => Readable.from([bytes])
type Write = (path: string, from: { docId: string; bytes: Buffer }) => Promise<unknown>

it.each<[string, Write]>([
  ['restored', (path, { bytes }) => writeRestored(path, chunksOf(bytes))],
  ['copied', (path, { bytes }) => adoptSnapshot(path, chunksOf(bytes), author)],
  [
    'made again',
    async (path, { docId }) => {
      await store.lifeCycle.remove(docId, true)
      await writeUndeleted(store, path, { docId, asOf: undefined })
    },
  ],
])('the file of a document that is %s is whole before it is closed', async (name, write) => {
  const docId = await createTable(store, 'T', { A: 'Text' })
  await addValues(store, docId, 'a')
  const { epoch } = store.stateOf(docId)
  const copy = join(folder.path, randomUUID())
  await store.snapshots.duplicate(store.files.find(docId), copy)
  const bytes = await readFile(copy)
  const path = join(folder.path, `${name}.sqlite`)
  const open = keepOpen()
  try {
    await write(path, { docId, bytes })
    expect(await epochOfFile(path)).not.toBe(epoch)
  } finally {
    open[Symbol.dispose]()
  }
})
