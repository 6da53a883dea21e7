import type { Query } from '@sheaf/client'

/** Returns the API path of a document. */
export const docPath = (docId: string): string => `/api/docs/${encodeURIComponent(docId)}`

/** Returns the API path of a table. */
export const tablePath = (docId: string, tableId: string): string =>
  `${docPath(docId)}/tables/${encodeURIComponent(tableId)}`

/** Returns a path with its query string. */
export function toUrl(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}
