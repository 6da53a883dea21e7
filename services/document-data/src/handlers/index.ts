import { serve, type ServedService } from '@sheaf/kit/grpc/server'
import { ActionsServiceService } from '@sheaf/protos/sheaf/document_data/v1/actions'
import { AttachmentsServiceService } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { BackupServiceService } from '@sheaf/protos/sheaf/document_data/v1/backup'
import { ChangesServiceService } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { ColumnsServiceService } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { DocumentsServiceService } from '@sheaf/protos/sheaf/document_data/v1/documents'
import { ExportServiceService } from '@sheaf/protos/sheaf/document_data/v1/export'
import { HistoryServiceService } from '@sheaf/protos/sheaf/document_data/v1/history'
import { ImportServiceService } from '@sheaf/protos/sheaf/document_data/v1/import'
import { RecordsServiceService } from '@sheaf/protos/sheaf/document_data/v1/records'
import { SqlServiceService } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { TablesServiceService } from '@sheaf/protos/sheaf/document_data/v1/tables'
import type { Context } from '../context'
import { actions } from './actions'
import { serveAdmitted } from './with-admission'
import { attachmentArchives } from './attachment-archives'
import { attachmentUploads } from './attachment-uploads'
import { attachments } from './attachments'
import { backup } from './backup'
import { changes } from './changes'
import { columns } from './columns'
import { documents } from './documents'
import { exporting } from './export'
import { formulas } from './formulas'
import { history } from './history'
import { importDocument } from './import'
import { records } from './records'
import { sql } from './sql'
import { tables } from './tables'

export function createServices(ctx: Context): ServedService[] {
  const { admission } = ctx
  return [
    serveAdmitted(admission, ActionsServiceService, actions(ctx)),
    serveAdmitted(admission, AttachmentsServiceService, {
      ...attachments(ctx),
      ...attachmentUploads(ctx),
      ...attachmentArchives(ctx),
    }),
    serve(BackupServiceService, backup(ctx)),
    serve(ChangesServiceService, changes(ctx)),
    serveAdmitted(admission, ColumnsServiceService, { ...columns(ctx), ...formulas(ctx) }),
    serveAdmitted(admission, DocumentsServiceService, documents(ctx)),
    serveAdmitted(admission, ExportServiceService, exporting(ctx)),
    serveAdmitted(admission, HistoryServiceService, history(ctx)),
    serveAdmitted(admission, ImportServiceService, importDocument(ctx)),
    serveAdmitted(admission, RecordsServiceService, records(ctx)),
    serveAdmitted(admission, SqlServiceService, sql(ctx)),
    serveAdmitted(admission, TablesServiceService, tables(ctx)),
  ]
}
