import { encodeChunks } from '@sheaf/protos/bytes'
import {
  ExportDocumentResponse,
  ExportServiceService,
  ExportTableResponse,
  ExportWorkbookResponse,
} from '@sheaf/protos/sheaf/document_data/v1/export'

/** ExportService, with a serializer for files that avoids copies of their bytes. */
export const exportService = {
  ...ExportServiceService,
  exportTable: {
    ...ExportServiceService.exportTable,
    responseSerialize: encodeChunks(ExportTableResponse),
  },
  exportWorkbook: {
    ...ExportServiceService.exportWorkbook,
    responseSerialize: encodeChunks(ExportWorkbookResponse),
  },
  exportDocument: {
    ...ExportServiceService.exportDocument,
    responseSerialize: encodeChunks(ExportDocumentResponse),
  },
}
