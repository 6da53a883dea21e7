import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { CellContext } from '../../cells/editing/cell-type'
import { useDocumentContext } from '../../document-context/document-context'
import type { CopySource } from './block-text'
import { knownText } from './known-text'

/** Where cells of the open document are copied from. */
export function useCopySource({ docId, asOf }: Pick<CellContext, 'docId' | 'asOf'>): CopySource {
  const queries = useQueryClient()
  const { document } = useDocumentContext()
  return useMemo(
    () => ({
      // Documents on other servers have the same ids.
      source: `${location.origin}/${document.id}`,
      knownText: (column, value) => knownText(queries, { docId, asOf }, column, value),
    }),
    [queries, document.id, docId, asOf],
  )
}
