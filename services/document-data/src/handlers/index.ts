import type { ServedService } from '@sheaf/kit/grpc/server'
import { ActionsServiceService } from '@sheaf/protos/sheaf/document_data/v1/actions'
import { AttachmentsServiceService } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { DocumentsServiceService } from '@sheaf/protos/sheaf/document_data/v1/documents'
import { ExportServiceService } from '@sheaf/protos/sheaf/document_data/v1/export'
import { HistoryServiceService } from '@sheaf/protos/sheaf/document_data/v1/history'
import { ImportServiceService } from '@sheaf/protos/sheaf/document_data/v1/import'
import { RecordsServiceService } from '@sheaf/protos/sheaf/document_data/v1/records'
import { SqlServiceService } from '@sheaf/protos/sheaf/document_data/v1/sql'
import type { Context } from '../context'
import type { Presence } from '../presence'
import { actions } from './actions'
import { serveAdmitted } from './served-document'
import { attachmentArchives } from './attachment-archives'
import { attachmentUploads } from './attachment-uploads'
import { attachments } from './attachments'
import { documents } from './documents'
import { exporting } from './export'
import { history } from './history'
import { importDocument } from './import'
import { createLiveServices } from './live-services'
import { recordsService } from './records-service'
import { sql } from './sql'
import { createStructureServices } from './structure-services'
import { createSystemServices } from './system-services'
import { withMoment } from './with-moment'

/** @param presence who has the documents of this instance open */
export function createServices(ctx: Context, presence: Presence): ServedService[] {
  return [
    serveAdmitted(ctx, ActionsServiceService, actions(ctx)),
    serveAdmitted(ctx, AttachmentsServiceService, {
      ...withMoment(ctx, AttachmentsServiceService, attachments),
      ...attachmentUploads(ctx),
      ...attachmentArchives(ctx),
    }),
    serveAdmitted(ctx, DocumentsServiceService, documents(ctx)),
    serveAdmitted(ctx, ExportServiceService, withMoment(ctx, ExportServiceService, exporting)),
    serveAdmitted(ctx, HistoryServiceService, history(ctx)),
    serveAdmitted(ctx, ImportServiceService, importDocument(ctx)),
    serveAdmitted(
      ctx,
      RecordsServiceService,
      withMoment(ctx, RecordsServiceService, recordsService),
    ),
    serveAdmitted(ctx, SqlServiceService, withMoment(ctx, SqlServiceService, sql)),
    ...createStructureServices(ctx),
    ...createLiveServices(ctx, presence),
    ...createSystemServices(ctx),
  ]
}
