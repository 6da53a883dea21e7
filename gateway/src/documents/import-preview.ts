import { IMPORT_OPTIONS, requireProtocol } from '@sheaf/auth/require-protocol'
import type { CallContext } from '@sheaf/protos/call'
import type {
  PreviewImportRequest,
  PreviewImportResponse,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import type { DocumentDataClients } from '../clients/document-data-clients'
import type { Exchange } from '../http/exchange'
import type { DocumentSession } from '../routing/document-session'
import { withReservedDocument } from './document-import'
import type { ImportForm } from './import-form'
import { UploadStream } from './upload-stream'

/** Previews a file at the home that a new document of this workspace would have. */
export function previewForWorkspace(
  exchange: Exchange,
  workspaceId: number,
  form: ImportForm,
): Promise<PreviewImportResponse> {
  const request = { workspaceId, name: 'Preview', isPinned: false }
  return withReservedDocument(exchange, request, ({ document, token }) => {
    requireProtocol(document.homeProtocol, IMPORT_OPTIONS)
    const home = exchange.context.documentData.at(document.homeAddress)
    return new Preview(document.docId, form).run(home, exchange.call(token))
  })
}

/** Previews a file at the home of a document. */
export function previewForDocument(
  exchange: Exchange,
  document: DocumentSession,
  form: ImportForm,
): Promise<PreviewImportResponse> {
  exchange.neededProtocol = IMPORT_OPTIONS
  const preview = new Preview(document.docId, form)
  return document.call((home, call) => preview.run(home, call), {
    canRepeat: () => !preview.hasBegun,
  })
}

class Preview {
  private readonly upload: UploadStream

  constructor(
    private readonly docId: string,
    private readonly form: ImportForm,
  ) {
    this.upload = new UploadStream(form.file)
  }

  get hasBegun(): boolean {
    return this.upload.hasBegun
  }

  async run(home: DocumentDataClients, call: CallContext): Promise<PreviewImportResponse> {
    const { docId, upload } = this
    const { file, options, isPart } = this.form
    const value = { docId, fileName: file.fileName, options, isPart }
    const parts = upload.parts<PreviewImportRequest>({ part: { $case: 'head', value } })
    try {
      return await home.imports.previewImport(parts, call)
    } catch (error) {
      throw upload.failure ?? error
    }
  }
}
