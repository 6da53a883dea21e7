import type { CallOptions } from './call-options.ts'
import type { Connection } from './connection.ts'
import { Doc } from './document.ts'
import type { AnyDocument, DocumentTypes } from './document-types.ts'
import type { UploadFile } from './attachments.ts'
import { importCall, previewImport } from './imports.ts'
import type {
  ImportedDocument,
  ImportOptions,
  ImportPreview,
  PreviewImportOptions,
} from './imports.ts'
import type { UploadProgress } from './http-request.ts'
import type { DocumentSummary } from './resources.ts'
import type { OrgOptions, Workspaces } from './workspaces.ts'

/** A document to create. */
export interface NewDocument {
  readonly workspaceId: number
  readonly name: string
  readonly isPinned?: boolean
  readonly urlId?: string
}

/** Where a file becomes a document. */
export interface ImportDocumentOptions extends CallOptions {
  readonly workspaceId: number
  /** Name of the document. Default: that of the file without its extension. */
  readonly name?: string
  readonly options?: ImportOptions
  /** Called while the file is sent. */
  readonly onProgress?: (progress: UploadProgress) => void
}

/** The documents that the caller can access. */
export class Documents {
  readonly #connection: Connection
  readonly #workspaces: Workspaces

  /** @internal */
  constructor(connection: Connection, workspaces: Workspaces) {
    this.#connection = connection
    this.#workspaces = workspaces
  }

  /** Lists the documents of all workspaces of a site. */
  async list(options?: OrgOptions): Promise<DocumentSummary[]> {
    return (await this.#workspaces.list(options)).flatMap(({ docs }) => docs)
  }

  /**
   * Creates a document with an empty table `Table1`. It is not repeated after a broken connection, because it could then
   * exist twice.
   */
  async create<D extends DocumentTypes<D> = AnyDocument>(
    { workspaceId, ...json }: NewDocument,
    options?: CallOptions,
  ): Promise<Doc<D>> {
    const path = `/api/workspaces/${workspaceId}/docs`
    return new Doc(
      this.#connection,
      await this.#connection.json<string>({ method: 'POST', path, json }, options),
    )
  }

  /**
   * Creates a document from a file: CSV, TSV, XLSX, JSON, a Grist document or SQLite. It is not repeated after a broken
   * connection, because the document could then exist twice.
   *
   * ```ts
   * const file = { name: 'prices.csv', data: await readFile('prices.csv') }
   * const { id } = await sheaf.documents.import(file, { workspaceId, options: { decimal: ',' } })
   * ```
   */
  import(
    file: UploadFile,
    { workspaceId, name, options, onProgress, ...call }: ImportDocumentOptions,
  ): Promise<ImportedDocument> {
    const path = `/api/workspaces/${workspaceId}/import`
    return this.#connection.json(importCall(path, file, { name, options, onProgress }), call)
  }

  /** Resolves to the tables that a file would become in a new document, with the types of their columns. Nothing is kept. */
  previewImport(
    file: UploadFile,
    { workspaceId, ...options }: PreviewImportOptions & Pick<ImportDocumentOptions, 'workspaceId'>,
  ): Promise<ImportPreview> {
    const path = `/api/workspaces/${workspaceId}/import`
    return previewImport(this.#connection, path, file, options)
  }
}
