import { useMemo } from 'react'
import type { Column } from '../../api/resources'
import { tableOf } from '../../cells/reference/use-labels'
import { refersToRows } from '../filter/conditions'
import type { RowSearch } from '../rows/rows-api'

/** A search for a text in columns; none without columns. It stays the same object while it is the same. */
export function useRowSearch(text: string, columns: readonly Column[]): RowSearch {
  const ids = text === '' ? [] : columns.map(({ id }) => id).sort()
  const fields = ids.join(',')
  const searched = fields === '' ? '' : text
  const referred = columns.filter(refersToRows).map(({ fields: { type } }) => tableOf(type))
  const tables = [...new Set(referred)].sort().join(',')
  return useMemo(() => ({ text: searched, fields, tables }), [searched, fields, tables])
}
