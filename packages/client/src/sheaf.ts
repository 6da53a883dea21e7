import type { CallOptions } from './call-options.ts'
import { HttpConnection, type Call } from './connection.ts'
import { Doc } from './document.ts'
import type { AnyDocument, DocumentTypes } from './document-types.ts'
import { Documents } from './documents.ts'
import { defaultLimits, mergeLimits, type RetryLimits } from './retry-policy.ts'
import type { Fetch } from './transport.ts'
import { Workspaces } from './workspaces.ts'

/** How a Sheaf is reached. */
export interface SheafOptions {
  /** Its URL, with `/o/<domain>` for a site. In browsers also a path, `/` for the server of the page. */
  readonly url: string
  /** An API key. Without one the caller is anonymous, or in browsers the user of the session. */
  readonly key?: string
  /**
   * Headers of all calls besides that of the key, read before each attempt: the token of a session, or one that expires.
   */
  readonly headers?: () => Readonly<Record<string, string>>
  /**
   * Called after an answer with 401 or 403, to renew what `headers` returns. If that differs afterwards, the call is made
   * once more.
   */
  readonly renew?: () => Promise<void>
  /** How often and how long calls are repeated. */
  readonly retry?: Partial<RetryLimits>
  /** Used instead of `fetch` of the platform, and of XMLHttpRequest for the progress of uploads. */
  readonly fetch?: Fetch
}

/**
 * A client of one Sheaf.
 *
 * ```ts
 * import { Sheaf } from '@sheaf/client'
 * import type { SheafDocument } from './document'
 *
 * const sheaf = new Sheaf({ url: 'https://sheaf.example.com', key })
 * const people = sheaf.doc<SheafDocument>(id).table('People')
 * for await (const { fields } of people.list({ sort: 'Name' })) console.log(fields.Name)
 * ```
 */
export class Sheaf {
  readonly workspaces: Workspaces
  readonly documents: Documents
  readonly #connection: HttpConnection

  /** Makes no call. Throws TypeError for a URL or a key that cannot be one. */
  constructor({ retry, ...options }: SheafOptions) {
    this.#connection = new HttpConnection(options, mergeLimits(defaultLimits, retry))
    this.workspaces = new Workspaces(this.#connection)
    this.documents = new Documents(this.#connection, this.workspaces)
  }

  /** Returns a document by its UUID, integer id or urlId. Makes no call. */
  doc<D extends DocumentTypes<D> = AnyDocument>(id: string): Doc<D> {
    return new Doc(this.#connection, id)
  }

  /**
   * Makes a call for which there is no method. Resolves to the JSON of the response. Only GET is repeated, unless
   * `isRepeatable` says that a repetition has no second effect.
   *
   * ```ts
   * const keys = await sheaf.request<object[]>({ method: 'GET', path: '/api/profile/apikeys' })
   * ```
   */
  request<T>(call: Call, options?: CallOptions): Promise<T> {
    return this.#connection.json(call, options)
  }

  /**
   * Makes a call like `request`, and resolves to the text of its response, which is read within the same limits.
   *
   * ```ts
   * const headers = { accept: 'text/csv' }
   * const csv = await sheaf.text({ method: 'GET', path: `/api/docs/${id}/tables/People/records`, headers })
   * ```
   */
  text(call: Call, options?: CallOptions): Promise<string> {
    return this.#connection.text(call, options)
  }

  /**
   * Makes a call like `request`, and resolves to its response once that has begun: for bytes, and for responses that are read as
   * streams. A failed response rejects with its error. The body has no limit of time but the signal.
   *
   * ```ts
   * const headers = { accept: 'application/vnd.apache.arrow.stream' }
   * const arrow = await sheaf.fetch({ method: 'GET', path: `/api/docs/${id}/tables/People/records`, headers })
   * ```
   */
  async fetch(call: Call, options?: CallOptions): Promise<Response> {
    return (await this.#connection.open(call, options)).response
  }
}
