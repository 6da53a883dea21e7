import type { CallOptions } from './call-options.ts'
import type { Connection } from './connection.ts'
import { Doc } from './document.ts'
import type { AnyDocument, DocumentTypes } from './document-types.ts'
import type { DocumentSummary } from './resources.ts'
import type { OrgOptions, Workspaces } from './workspaces.ts'

/** A document to create. */
export interface NewDocument {
  readonly workspaceId: number
  readonly name: string
  readonly isPinned?: boolean
  readonly urlId?: string
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
}
