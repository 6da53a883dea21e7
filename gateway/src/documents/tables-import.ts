import { CONDITIONAL_IMPORTS, IMPORT_OPTIONS } from '@sheaf/auth/require-protocol'
import type { CallContext } from '@sheaf/protos/call'
import type {
  ImportedDocument,
  ImportProgress,
  ImportTablesRequest,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import type { DocumentDataClients } from '../clients/document-data-clients'
import type { Exchange } from '../http/exchange'
import type { DocumentSession } from '../routing/document-session'
import { whileAllowed } from './access-watch'
import { addStateHeaders, getWriteOptions, hasKey } from './conditional-requests'
import type { ImportForm } from './import-form'
import { keeperOf, RepeatableParts } from './repeatable-parts'
import { UploadStream } from './upload-stream'

const NOTHING = Buffer.alloc(0)

/**
 * Imports a file into a document while it arrives. A form that turns out to be malformed after the file ends the import,
 * unless it has been stored by then. So does the end of the caller's access.
 */
export async function importTables(
  exchange: Exchange,
  document: DocumentSession,
  form: ImportForm,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportedDocument> {
  const writeOptions = getWriteOptions(exchange, NOTHING)
  exchange.neededProtocol = writeOptions ? CONDITIONAL_IMPORTS : IMPORT_OPTIONS
  const { file, options, target: append, whole } = form
  const upload = new UploadStream(file)
  const value = { docId: document.docId, fileName: file.fileName, options, append, writeOptions }
  const mayEnd = async () => {
    await whole
    await document.refresh()
  }
  const source = upload.parts<ImportTablesRequest>({ part: { $case: 'head', value } }, mayEnd)
  const parts = new RepeatableParts(source, keeperOf(exchange))
  const runUntil =
    (signal: AbortSignal) =>
    async ({ imports }: DocumentDataClients, call: CallContext) => {
      for await (const { part } of imports.importTables(parts.send(), { ...call, signal })) {
        if (part?.$case === 'done') return part.value
        if (part) onProgress(part.value)
      }
      throw new Error('document-data returned no result of an import')
    }
  try {
    const imported = await whileAllowed(exchange, document, (signal) =>
      document.call(runUntil(signal), {
        isIdempotent: hasKey(writeOptions),
        // What is left of a malformed form would count as a whole one.
        canRepeat: () => parts.canRepeat && upload.failure === undefined && !signal.aborted,
      }),
    )
    addStateHeaders(exchange, imported)
    return imported
  } catch (error) {
    throw upload.failure ?? error
  }
}
