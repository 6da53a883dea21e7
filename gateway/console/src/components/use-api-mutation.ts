import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useState } from 'react'
import { useToaster } from './toast'

interface Change {
  /** True while it is being made. */
  readonly isBusy: boolean
  /**
   * Makes a change, has what it touched fetched anew, and tells of it when that is done. Rejects as the change does, for
   * a dialog to show the error.
   */
  readonly make: <T>(change: () => Promise<T>, told?: string) => Promise<T>
  /** The same for a button on a page: the error is told in passing. */
  readonly makeOrTell: (change: () => Promise<unknown>, told?: string) => void
}

/** Makes changes that touch what is known under these keys. */
export function useChange(...touched: readonly QueryKey[]): Change {
  const client = useQueryClient()
  const toaster = useToaster()
  const [isBusy, setBusy] = useState(false)
  const make = async <T>(change: () => Promise<T>, told?: string): Promise<T> => {
    setBusy(true)
    try {
      const result = await change().finally(() =>
        Promise.all(touched.map((queryKey) => client.invalidateQueries({ queryKey }))),
      )
      if (told !== undefined) toaster.tell(told)
      return result
    } finally {
      setBusy(false)
    }
  }
  const makeOrTell: Change['makeOrTell'] = (change, told) => {
    make(change, told).catch(toaster.fail)
  }
  return { isBusy, make, makeOrTell }
}
