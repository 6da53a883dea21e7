import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { AppError } from '@sheaf/kit/errors'
import { ReadRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import { recordsQuery } from '../../src/handlers/records-query'
import type { CellColumns } from '../../src/store/records/conversion'
import type { DocumentWriter } from '../../src/store/document'
import { DocumentStore, type DocumentStoreOptions } from '../../src/store/documents/document-store'
import type { Author } from '../../src/store/log/log'
import { addRecords } from '../../src/store/records/records'
import type { RecordsReply } from '../../src/store/documents/record-reads'
import { addTables } from '../../src/store/structure/tables'

/** Who writes in these tests. */
export const author: Author = { userId: 1, cause: 'api', traceparent: '' }

const root = join(__dirname, '../../../..')

/** Compiles what worker threads run. */
export function buildWorkers(): void {
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc')
  execFileSync(process.execPath, [tsc, '-b', 'services/document-data'], { cwd: root })
}

/** A store on a folder, which fails the test when a file does. */
export function openStore(
  folder: string,
  options: Partial<DocumentStoreOptions> = {},
): Promise<DocumentStore> {
  return DocumentStore.open({
    folder,
    maxOpen: 10,
    idleMs: 60_000,
    maxReadMs: 60_000,
    workers: 2,
    maxIndexes: 0,
    onFileError: (error) => {
      throw error
    },
    ...options,
  })
}

/** Applies a change; one that is refused leaves the document unchanged. */
export async function writeOrRefuse(
  store: DocumentStore,
  docId: string,
  change: (doc: DocumentWriter) => void,
): Promise<void> {
  try {
    await store.transact(docId, author, (doc) => change(doc))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/** Makes a document with one table of data columns. */
export async function createTable(
  store: DocumentStore,
  tableId: string,
  types: Record<string, string>,
): Promise<string> {
  const docId = randomUUID()
  await store.lifeCycle.create(docId, { timezone: 'UTC', locale: 'en-US' }, author)
  await store.prepare(docId)
  const columns = Object.entries(types).map(([id, type]) => ({ id, fields: { type } }))
  await store.transact(docId, author, (doc) => addTables(doc, [{ id: tableId, columns }]))
  return docId
}

/** Adds rows, given by columns; answers the log position. */
export async function addColumns(
  store: DocumentStore,
  docId: string,
  tableId: string,
  cells: CellColumns,
): Promise<number> {
  const count = [...cells.values()][0]?.length ?? 0
  const { seq } = await store.transact(docId, author, (doc) => {
    addRecords(doc, tableId, { count, cells }, { noParse: true })
  })
  return seq
}

/** Begins a read. */
export async function beginRead(
  store: DocumentStore,
  docId: string,
  request: Partial<ReadRecordsRequest>,
  signal?: AbortSignal,
): Promise<RecordsReply> {
  const whole = ReadRecordsRequest.fromPartial({ docId, ...request })
  return store.readRecords(docId, recordsQuery(whole), { signal })
}

/** The text of a read. */
export async function readText(
  store: DocumentStore,
  docId: string,
  request: Partial<ReadRecordsRequest>,
): Promise<string> {
  const { chunks } = await beginRead(store, docId, request)
  return takeText(chunks)
}

/** What is left of a reply. */
export async function takeText(chunks: RecordsReply['chunks']): Promise<string> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all).toString()
}

/** A filter as a request takes it. */
export function filterJson(filter: Record<string, unknown[]>): Buffer {
  return Buffer.from(JSON.stringify(filter))
}
