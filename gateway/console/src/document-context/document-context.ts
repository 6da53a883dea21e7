import type { DocumentDescription } from '@sheaf/client'
import { createContext, use } from 'react'
import { useMatch, useSearchParams } from 'react-router'
import { toUrl } from '../api/paths'
import type { Table } from '../api/resources'

/** The open document, as provided to its pages by the document page. */
export interface DocumentContext {
  /** The document id as used in the URL: the integer id, the urlId or the UUID. */
  readonly docId: string
  readonly document: DocumentDescription
  /** The tables, at the shown moment. */
  readonly tables: readonly Table[]
  /** The seq of the change as of which the document is shown; undefined for the present. */
  readonly asOf?: string
  /** The table being renamed or deleted, which must not be read in the meantime. */
  readonly busyTable?: string
}

/** Context of the pages of a document. */
export const OpenDocument = createContext<DocumentContext | undefined>(undefined)

/** Returns the open document. Throws outside of the pages of a document. */
export function useDocumentContext(): DocumentContext {
  const context = use(OpenDocument)
  if (!context) throw new Error('useDocumentContext requires an OpenDocument')
  return context
}

/** Returns true if the user can edit the contents of a document. */
export const canEdit = ({ access }: DocumentDescription): boolean =>
  access === 'owners' || access === 'editors'

/**
 * Returns the seq of the change in the URL as of which tables are shown; undefined for the present, and on other
 * pages, which always show the present.
 */
export function useAsOf(): string | undefined {
  const [query] = useSearchParams()
  const isIndex = useMatch('/docs/:docId') !== null
  const isTable = useMatch('/docs/:docId/tables/:tableId') !== null
  return isIndex || isTable ? (query.get('asOf') ?? undefined) : undefined
}

/** Returns the URL of a table, now or as of a change. */
export const tableUrl = (docId: string, tableId: string, asOf?: string | number): string =>
  toUrl(`/docs/${docId}/tables/${encodeURIComponent(tableId)}`, { asOf })

/**
 * Returns a URL that leads to a table by its ref, because its id may be another at the moment to be shown. Without
 * the table, or if it does not exist then, the URL leads to the first table.
 */
export const tableRefUrl = (docId: string, tableRef?: number, asOf?: string | number): string =>
  toUrl(`/docs/${docId}`, { table: tableRef, asOf })

/** Returns the URL of a table with the panel of a row, now or as of a change. */
export const rowUrl = (
  docId: string,
  tableId: string,
  rowId: number,
  asOf?: string | number,
): string => toUrl(`/docs/${docId}/tables/${encodeURIComponent(tableId)}`, { asOf, row: rowId })

/** Returns the URL of the history of a table, or of one of its rows. */
export const historyUrl = (docId: string, table: string | number, row?: number): string =>
  toUrl(`/docs/${docId}/history`, { table, row })
