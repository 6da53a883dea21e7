import { useCallback } from 'react'
import { useAnnounceChange } from '../../undo/undo-provider'
import type { RowsApi } from '../rows/rows-api'

/** Returns a function that deletes rows, and says so with a button that undoes it. */
export function useRowRemoval(api: RowsApi): (rowIds: readonly number[]) => Promise<void> {
  const announce = useAnnounceChange()
  return useCallback(
    async (rowIds) => {
      const removing = api.remove(rowIds)
      const count = rowIds.length
      announce(count === 1 ? 'Row deleted' : `${count.toLocaleString()} rows deleted`, removing)
      await removing
    },
    [api, announce],
  )
}
