import type { Rest } from '@sheaf/testkit/rest'

interface Described {
  readonly tables: readonly { readonly id: string }[]
}

/** Everything that a document holds, as text: its tables and columns, and all rows with all their cells. */
export async function readState(rest: Rest, doc: string): Promise<string> {
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
