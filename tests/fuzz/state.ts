import type { Rest } from '@sheaf/testkit/rest'
import type { Places } from './send'

interface Described {
  readonly tables: readonly { readonly id: string }[]
}

/** The complete contents of a document, as text: its tables, columns, rows and cells. */
export async function readDocument(rest: Rest, doc: string): Promise<string> {
  const read = async (path: string, query: Record<string, unknown>) => {
    const { status, text } = await rest.get(`${doc}/${path}`, { query })
    if (status !== 200) throw new Error(`${path} cannot be read: ${status} ${text}`)
    return text
  }
  const described = await read('tables', { expand: 'column' })
  const { tables } = JSON.parse(described) as Described
  const rows = await Promise.all(
    tables.map(({ id }) => read(`tables/${encodeURIComponent(id)}/records`, { hidden: 'true' })),
  )
  return [described, ...rows].join('\n')
}

/** A site, a workspace and a document with their access lists, including whether one of them is gone. */
export async function readHome(rest: Rest, { orgId, workspaceId, docId }: Places): Promise<string> {
  const things = [`orgs/${orgId}`, `workspaces/${workspaceId}`, `docs/${docId}`]
  const paths = [
    ...things.flatMap((thing) => [thing, `${thing}/access`]),
    `orgs/${orgId}/workspaces`,
  ]
  const replies = await Promise.all(paths.map((path) => rest.get(`/api/${path}`)))
  return replies.map(({ status, text }, i) => `${paths[i]} ${status} ${text}`).join('\n')
}
