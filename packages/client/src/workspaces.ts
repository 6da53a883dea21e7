import type { CallOptions } from './call-options.ts'
import type { Connection } from './connection.ts'
import type { Workspace } from './resources.ts'

/** Options of calls on a site. */
export interface OrgOptions extends CallOptions {
  /** Id or domain of the site. Default: that of the URL, or the personal site of the caller. */
  readonly org?: number | string
}

/** The workspaces that the caller can access. */
export class Workspaces {
  readonly #connection: Connection

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Lists the workspaces of a site by name, with their documents. */
  list(options?: OrgOptions): Promise<Workspace[]> {
    return this.#connection.json({ method: 'GET', path: pathOf(options) }, options)
  }

  /**
   * Creates an empty workspace. Resolves to its id. It is not repeated after a broken connection, because it could then
   * exist twice.
   */
  create(name: string, options?: OrgOptions): Promise<number> {
    return this.#connection.json({ method: 'POST', path: pathOf(options), json: { name } }, options)
  }
}

function pathOf({ org = 'current' }: OrgOptions = {}): string {
  return `/api/orgs/${encodeURIComponent(org)}/workspaces`
}
