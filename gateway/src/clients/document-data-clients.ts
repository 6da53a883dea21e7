import type { GrpcChannel } from '@sheaf/kit/grpc/client'
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
  FormsServiceClientImpl,
  type FormsService,
} from '@sheaf/protos/sheaf/document_data/v1/forms'
import {
  HistoryServiceClientImpl,
  type HistoryService,
} from '@sheaf/protos/sheaf/document_data/v1/history'
import {
  ImportServiceClientImpl,
  type ImportService,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import {
  PresenceServiceClientImpl,
  type PresenceService,
} from '@sheaf/protos/sheaf/document_data/v1/presence'
import {
  RecordsServiceClientImpl,
  type RecordsService,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { SqlServiceClientImpl, type SqlService } from '@sheaf/protos/sheaf/document_data/v1/sql'
import {
  TablesServiceClientImpl,
  type TablesService,
} from '@sheaf/protos/sheaf/document_data/v1/tables'

/** Clients of one document-data instance. */
export interface DocumentDataClients {
  readonly channel: GrpcChannel
  readonly actions: ActionsService
  readonly attachments: AttachmentsService
  readonly changes: ChangesService
  readonly columns: ColumnsService
  readonly documents: DocumentsService
  readonly exports: ExportService
  readonly forms: FormsService
  readonly history: HistoryService
  readonly imports: ImportService
  readonly presence: PresenceService
  readonly records: RecordsService
  readonly sql: SqlService
  readonly tables: TablesService
}

/** Creates the clients of the instance that a channel leads to. */
export function createDocumentDataClients(channel: GrpcChannel): DocumentDataClients {
  return {
    channel,
    actions: new ActionsServiceClientImpl(channel),
    attachments: new AttachmentsServiceClientImpl(channel),
    changes: new ChangesServiceClientImpl(channel),
    columns: new ColumnsServiceClientImpl(channel),
    documents: new DocumentsServiceClientImpl(channel),
    exports: new ExportServiceClientImpl(channel),
    forms: new FormsServiceClientImpl(channel),
    history: new HistoryServiceClientImpl(channel),
    imports: new ImportServiceClientImpl(channel),
    presence: new PresenceServiceClientImpl(channel),
    records: new RecordsServiceClientImpl(channel),
    sql: new SqlServiceClientImpl(channel),
    tables: new TablesServiceClientImpl(channel),
  }
}
