import { AppError } from '@sheaf/kit/errors'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc/client'
import type { TlsFiles } from '@sheaf/kit/tls'
import {
  ActionsServiceClientImpl,
  type ActionsService,
} from '@sheaf/protos/sheaf/document_data/v1/actions'
import {
  AttachmentsServiceClientImpl,
  type AttachmentsService,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import {
  ChangesServiceClientImpl,
  type ChangesService,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import {
  ColumnsServiceClientImpl,
  type ColumnsService,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import {
  DocumentsServiceClientImpl,
  type DocumentsService,
} from '@sheaf/protos/sheaf/document_data/v1/documents'
import {
  ExportServiceClientImpl,
  type ExportService,
} from '@sheaf/protos/sheaf/document_data/v1/export'
import {
  HistoryServiceClientImpl,
  type HistoryService,
} from '@sheaf/protos/sheaf/document_data/v1/history'
import {
  ImportServiceClientImpl,
  type ImportService,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import {
  RecordsServiceClientImpl,
  type RecordsService,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { SqlServiceClientImpl, type SqlService } from '@sheaf/protos/sheaf/document_data/v1/sql'
import {
  TablesServiceClientImpl,
  type TablesService,
} from '@sheaf/protos/sheaf/document_data/v1/tables'
import { LRUCache } from 'lru-cache'

/**
 * Far more than there are document-data instances; addresses of replaced instances are evicted eventually.
 */
const MAX_CHANNELS = 1_000
/** The row ids of one large write are returned in one message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** Clients of one document-data instance. */
export interface DocumentDataClients {
  readonly channel: GrpcChannel
  readonly actions: ActionsService
  readonly attachments: AttachmentsService
  readonly changes: ChangesService
  readonly columns: ColumnsService
  readonly documents: DocumentsService
  readonly exports: ExportService
  readonly history: HistoryService
  readonly imports: ImportService
  readonly records: RecordsService
  readonly sql: SqlService
  readonly tables: TablesService
}

/** One connection to each document-data instance, opened on first use. */
export class DocumentDataChannels implements AsyncDisposable {
  private readonly clients = new LRUCache<string, DocumentDataClients>({
    max: MAX_CHANNELS,
    dispose: ({ channel }) => channel.close(),
  })

  constructor(private readonly tls?: TlsFiles) {}

  /**
   * Returns the clients of the instance at this address (host:port). Throws AppError `unavailable` for an
   * empty address.
   */
  at(address: string): DocumentDataClients {
    if (address === '')
      throw new AppError('unavailable', 'HOME_UNAVAILABLE', 'document unavailable, retry later')
    const known = this.clients.get(address)
    if (known) return known
    const channel = openChannel({
      address,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      multiplexed: true,
      tls: this.tls,
    })
    const clients: DocumentDataClients = {
      channel,
      actions: new ActionsServiceClientImpl(channel),
      attachments: new AttachmentsServiceClientImpl(channel),
      changes: new ChangesServiceClientImpl(channel),
      columns: new ColumnsServiceClientImpl(channel),
      documents: new DocumentsServiceClientImpl(channel),
      exports: new ExportServiceClientImpl(channel),
      history: new HistoryServiceClientImpl(channel),
      imports: new ImportServiceClientImpl(channel),
      records: new RecordsServiceClientImpl(channel),
      sql: new SqlServiceClientImpl(channel),
      tables: new TablesServiceClientImpl(channel),
    }
    this.clients.set(address, clients)
    return clients
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.clients.clear()
  }
}
