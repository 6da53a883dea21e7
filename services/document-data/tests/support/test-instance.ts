import { randomUUID } from 'node:crypto'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc/client'
import type { CallerClaims } from '@sheaf/auth/caller-token'
import type { RoleName } from '@sheaf/auth/roles'
import type { CallContext } from '@sheaf/protos/call'
import { ActionsServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/actions'
import { AttachmentsServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { ChangesServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { ColumnsServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { DocumentsServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/documents'
import { FormsServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/forms'
import { HistoryServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/history'
import { InstanceServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/instance'
import {
  AddRecordsRequest,
  ReadRecordsRequest,
  RecordsServiceClientImpl,
  UpdateRecordsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { SqlServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { TablesServiceClientImpl, type NewTable } from '@sheaf/protos/sheaf/document_data/v1/tables'
import { testEngines } from '@sheaf/testkit/engines'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { createTokenAuthority, type TokenAuthority } from '@sheaf/testkit/token-authority'
import {
  defaultAttachments,
  defaultFormulaLimits,
  defaultLimits,
  defaultSqlLimits,
  type DocumentDataConfig,
} from '../../src/config'
import { startDocumentData, type RunningDocumentData } from '../../src/service'

/** Name of the instance under test. */
export const HOME = 'document-data-0'

/** A row as it reads. */
export interface ReadRow {
  readonly id: number
  readonly fields: Record<string, unknown>
}

/** Settings for an instance whose data lie in `folder`. */
export function testConfig(folder: string): DocumentDataConfig {
  return {
    listen: '127.0.0.1:0',
    home: HOME,
    dataFolder: folder,
    directoryAddress: '127.0.0.1:1',
    serviceKey: 'unused',
    natsUrl: testEngines().natsUrl,
    maxOpenDocuments: 50,
    pastBytes: 64 * 1024 * 1024,
    keptDays: 30,
    idleSeconds: 60,
    maxReadSeconds: 60,
    workers: 2,
    maxIndexes: 2,
    maxImportBytes: 32 * 1024 * 1024,
    maxImportSeconds: 60,
    changesDays: 1,
    changesMegabytes: 256,
    changesReplicas: 1,
    // However busy the machine is with other tests.
    limits: { ...defaultLimits, delayMs: 60_000 },
    sql: defaultSqlLimits,
    formulas: defaultFormulaLimits,
    attachments: defaultAttachments,
  }
}

/** Clients of one instance. */
export class TestClients implements AsyncDisposable {
  readonly actions: ActionsServiceClientImpl
  readonly documents: DocumentsServiceClientImpl
  readonly tables: TablesServiceClientImpl
  readonly columns: ColumnsServiceClientImpl
  readonly records: RecordsServiceClientImpl
  readonly changes: ChangesServiceClientImpl
  readonly forms: FormsServiceClientImpl
  readonly history: HistoryServiceClientImpl
  readonly sql: SqlServiceClientImpl
  readonly attachments: AttachmentsServiceClientImpl
  readonly instance: InstanceServiceClientImpl
  private readonly channel: GrpcChannel

  constructor(
    address: string,
    private readonly authority: TokenAuthority,
  ) {
    this.channel = openChannel({ address, maxMessageBytes: 64 * 1024 * 1024 })
    this.actions = new ActionsServiceClientImpl(this.channel)
    this.documents = new DocumentsServiceClientImpl(this.channel)
    this.tables = new TablesServiceClientImpl(this.channel)
    this.columns = new ColumnsServiceClientImpl(this.channel)
    this.records = new RecordsServiceClientImpl(this.channel)
    this.changes = new ChangesServiceClientImpl(this.channel)
    this.forms = new FormsServiceClientImpl(this.channel)
    this.history = new HistoryServiceClientImpl(this.channel)
    this.sql = new SqlServiceClientImpl(this.channel)
    this.attachments = new AttachmentsServiceClientImpl(this.channel)
    this.instance = new InstanceServiceClientImpl(this.channel)
  }

  /** What a call on a document carries for a user with this role. */
  async as(
    docId: string,
    role: RoleName,
    claims: Partial<CallerClaims> = {},
  ): Promise<CallContext> {
    return { token: await this.authority.sign({ docId, role, home: HOME, ...claims }) }
  }

  /** What a call of Sheaf itself carries. */
  async asSystem(): Promise<CallContext> {
    return { token: await this.authority.sign({ userId: 0, system: true }) }
  }

  /** Makes a document and returns its id. */
  async createDocument(docId: string = randomUUID()): Promise<string> {
    const call = await this.as(docId, 'owners')
    await this.documents.createDocument({ docId, timezone: '', locale: '' }, call)
    return docId
  }

  /** Makes a table of data columns; types by column id. */
  async addTable(docId: string, id: string, types: Record<string, string>): Promise<string> {
    const columns = Object.entries(types).map(([colId, type]) => ({ id: colId, fields: { type } }))
    const table = { id, columns } as unknown as NewTable
    const call = await this.as(docId, 'editors')
    const { tableIds } = await this.tables.addTables({ docId, tables: [table] }, call)
    return tableIds[0] ?? ''
  }

  /** Adds rows and returns their ids. */
  async add(docId: string, tableId: string, rows: object[], noParse = false): Promise<number[]> {
    const bodyJson = Buffer.from(JSON.stringify({ records: rows.map((fields) => ({ fields })) }))
    const request = AddRecordsRequest.fromPartial({ docId, tableId, bodyJson, noParse })
    return (await this.records.addRecords(request, await this.as(docId, 'editors'))).rowIds
  }

  /** Changes rows; answers the log position. */
  async update(docId: string, tableId: string, rows: ReadRow[]): Promise<number> {
    const bodyJson = Buffer.from(JSON.stringify({ records: rows }))
    const request = UpdateRecordsRequest.fromPartial({ docId, tableId, bodyJson })
    return (await this.records.updateRecords(request, await this.as(docId, 'editors'))).seq
  }

  /** Removes rows; answers the log position. */
  async remove(docId: string, tableId: string, ids: unknown): Promise<number> {
    const request = { docId, tableId, bodyJson: Buffer.from(JSON.stringify(ids)) }
    return (await this.records.deleteRecords(request, await this.as(docId, 'editors'))).seq
  }

  /** The JSON text of a read, and the log position that came with it. */
  async readText(
    docId: string,
    tableId: string,
    request: Partial<ReadRecordsRequest> = {},
  ): Promise<{ text: string; seq: number; messages: number }> {
    const chunks: Buffer[] = []
    let seq = 0
    const whole = ReadRecordsRequest.fromPartial({ docId, tableId, ...request })
    for await (const message of this.records.readRecords(whole, await this.as(docId, 'viewers'))) {
      chunks.push(message.chunk)
      seq ||= message.seq
    }
    return { text: Buffer.concat(chunks).toString(), seq, messages: chunks.length }
  }

  /** The rows of a read. */
  async read(
    docId: string,
    tableId: string,
    request: Partial<ReadRecordsRequest> = {},
  ): Promise<ReadRow[]> {
    const { text } = await this.readText(docId, tableId, request)
    return (JSON.parse(text) as { records: ReadRow[] }).records
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel[Symbol.asyncDispose]()
  }
}

/** An instance in this process with clients and tokens of its own. */
export class TestInstance implements AsyncDisposable {
  private constructor(
    readonly folder: TempDir,
    readonly authority: TokenAuthority,
    readonly service: RunningDocumentData,
    readonly clients: TestClients,
  ) {}

  /** Starts one on an empty folder. */
  static async start(config: Partial<DocumentDataConfig> = {}): Promise<TestInstance> {
    const folder = await tempDir()
    const authority = await createTokenAuthority()
    const { verifier } = authority
    const service = await startDocumentData(
      { ...testConfig(folder.path), ...config },
      { verifier, reportsHome: false },
    )
    return new TestInstance(folder, authority, service, new TestClients(service.address, authority))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clients[Symbol.asyncDispose]()
    await this.service[Symbol.asyncDispose]()
    await this.folder[Symbol.asyncDispose]()
  }
}

/** Columns as a request takes them, most fields left out. */
export function newColumns(columns: readonly object[]): NewTable['columns'] {
  return columns.map((column) => ({ id: '', ...column })) as unknown as NewTable['columns']
}
