import { AppError } from '@sheaf/kit/errors'
import { ChannelCache } from '@sheaf/kit/grpc/channel-cache'
import type { GrpcChannel } from '@sheaf/kit/grpc/client'
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

/** The ids of the rows of one large write come in one message. */
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

/** The clients of every document-data instance, by address. */
export interface DocumentDataChannels extends AsyncDisposable {
  /** Clients of the instance at this address (host:port). Throws AppError `unavailable` for an empty address. */
  at(address: string): DocumentDataClients
}

/** Creates the clients of document-data; each instance gets one connection, opened when it is first needed. */
export function createDocumentDataChannels(tls?: TlsFiles): DocumentDataChannels {
  const options = { maxMessageBytes: MAX_MESSAGE_BYTES, multiplexed: true, tls }
  const channels = new ChannelCache(createDocumentDataClients, options)
  return {
    at(address) {
      if (address !== '') return channels.at(address)
      const message = 'document unavailable, retry later'
      throw new AppError('unavailable', 'HOME_UNAVAILABLE', message)
    },
    [Symbol.asyncDispose]: () => channels[Symbol.asyncDispose](),
  }
}

function createDocumentDataClients(channel: GrpcChannel): DocumentDataClients {
  return {
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
}
