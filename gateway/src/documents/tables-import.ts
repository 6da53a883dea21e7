import { IMPORT_OPTIONS } from '@sheaf/auth/require-protocol'
import type { CallContext } from '@sheaf/protos/call'
import type {
  ImportedDocument,
  ImportProgress,
  ImportTablesRequest,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import type { DocumentDataClients } from '../clients/document-data-clients'
import type { Exchange } from '../http/exchange'
import type { DocumentSession } from '../routing/document-session'
import type { ImportForm } from './import-form'
import { UploadStream } from './upload-stream'

/**
 * Imports a file into a document while it arrives. A form that turns out to be malformed after the file ends the import,
 * unless it has been stored by then.
 */
export async function importTables(
  exchange: Exchange,
  document: DocumentSession,
  form: ImportForm,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportedDocument> {
  exchange.neededProtocol = IMPORT_OPTIONS
  const { file, options, target: append, whole } = form
  const upload = new UploadStream(file)
  const value = { docId: document.docId, fileName: file.fileName, options, append }
  const parts = upload.parts<ImportTablesRequest>({ part: { $case: 'head', value } }, whole)
  const run = async ({ imports }: DocumentDataClients, call: CallContext) => {
    for await (const { part } of imports.importTables(parts, call)) {
      if (part?.$case === 'done') return part.value
      if (part) onProgress(part.value)
    }
    throw new Error('document-data returned no result of an import')
  }
  try {
    return await document.call(run, { canRepeat: () => !upload.hasBegun })
  } catch (error) {
    throw upload.failure ?? error
  }
}
