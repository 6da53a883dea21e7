import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { AppError } from '@sheaf/kit/errors'
import type { CallContext } from '@sheaf/protos/call'
import {
  AddRecordsRequest,
  ReadRecordsRequest,
  type AddRecordsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { createTokenAuthority, type TokenAuthority } from '@sheaf/testkit/token-authority'
import type { DocumentDataConfig } from '../../src/config'
import { startDocumentData, type RunningDocumentData } from '../../src/service'
import type { StandInDirectory } from './stand-in-directory'
import { testConfig, TestClients } from './test-instance'

/** An instance with a lease, and clients that present tokens for its documents. */
export interface Instance extends AsyncDisposable {
  readonly name: string
  readonly service: RunningDocumentData
  readonly clients: TestClients
}

/** An instance that serves documents, in this process or in another one. */
type Serving = Pick<Instance, 'name' | 'clients'>

/** Instances that share a log database and a store. */
export interface Instances extends AsyncDisposable {
  readonly authority: TokenAuthority
  /** URL of the log database. */
  readonly databaseUrl: string
  start(
    directory: StandInDirectory,
    name: string,
    config?: Partial<Pick<DocumentDataConfig, 'natsUrl' | 'formulas'>>,
  ): Promise<Instance>
  /** Starts an instance without replication, whose files `start` with its name uses as well. */
  startLocal(directory: StandInDirectory, name: string): Promise<Instance>
}

export async function openInstances(): Promise<Instances> {
  const folder = await tempDir()
  const database = await createTestDatabase()
  const authority = await createTokenAuthority()
  const start = async (
    directory: StandInDirectory,
    name: string,
    config: Partial<DocumentDataConfig>,
  ): Promise<Instance> => {
    const own = { home: name, directoryAddress: directory.address, ...config }
    const service = await startDocumentData(
      { ...testConfig(join(folder.path, name)), ...own },
      { verifier: authority.verifier },
    )
    const clients = new TestClients(service.address, authority)
    return {
      name,
      service,
      clients,
      async [Symbol.asyncDispose]() {
        await clients[Symbol.asyncDispose]()
        await service[Symbol.asyncDispose]()
      },
    }
  }
  return {
    authority,
    databaseUrl: database.url,
    start(directory, name, config = {}) {
      const replication = {
        logDatabaseUrl: database.url,
        store: { folder: join(folder.path, 'store') },
        balanceSeconds: 1,
        diskBytes: 0,
      }
      return start(directory, name, { replication, ...config })
    },
    startLocal: (directory, name) => start(directory, name, {}),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

export const call = (instance: Serving, docId: string): Promise<CallContext> =>
  instance.clients.as(docId, 'owners', { home: instance.name })

/** Creates a document with a table T of one column A, once the instance has its lease. */
export async function createTable(instance: Serving): Promise<string> {
  const docId = randomUUID()
  const { documents, tables } = instance.clients
  await documents.createDocument({ docId, timezone: '', locale: '' }, await call(instance, docId))
  const columns = [{ id: 'A', fields: { type: 'Text' } }]
  const table = { id: 'T', columns } as never
  await eventually(async () => {
    const adding = tables.addTables({ docId, tables: [table] }, await call(instance, docId))
    return (await reasonOf(adding)) === 'done'
  })
  return docId
}

export async function add(
  instance: Serving,
  docId: string,
  value: string,
  idempotencyKey = '',
): Promise<AddRecordsResponse> {
  const bodyJson = Buffer.from(JSON.stringify({ records: [{ fields: { A: value } }] }))
  const options = { idempotencyKey, requestDigest: Buffer.alloc(32, 1) }
  const request = AddRecordsRequest.fromPartial({ docId, tableId: 'T', bodyJson, options })
  return instance.clients.records.addRecords(request, await call(instance, docId))
}

export async function read(
  instance: Serving,
  docId: string,
): Promise<{ readonly text: string; readonly etag: string }> {
  const request = ReadRecordsRequest.fromPartial({ docId, tableId: 'T' })
  const chunks: Buffer[] = []
  let etag = ''
  const answers = instance.clients.records.readRecords(request, await call(instance, docId))
  for await (const answer of answers) {
    chunks.push(answer.chunk)
    etag ||= answer.etag ?? ''
  }
  return { text: Buffer.concat(chunks).toString(), etag }
}

export const reasonOf = (calling: Promise<unknown>): Promise<string | undefined> =>
  calling.then(
    () => 'done',
    (error: AppError) => error.reason,
  )

export const untilLeased = (instance: Serving, docId: string): Promise<unknown> =>
  eventually(async () => (await reasonOf(read(instance, docId))) !== 'HOME_LEASE_ENDED')
