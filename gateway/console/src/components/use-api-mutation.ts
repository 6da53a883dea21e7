import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useState } from 'react'
import { useToaster } from './toast'

interface ApiMutation {
  /** True while a mutation is in flight. */
  readonly isBusy: boolean
  /**
   * Runs a mutation, refetches the queries it affects, and shows a message when both are done. Rejects if the
   * mutation does, so that a dialog can show the error.
   */
  readonly mutate: <T>(mutation: () => Promise<T>, message?: string) => Promise<T>
  /** Like `mutate`, but shows errors as toasts. For buttons on pages. */
  readonly mutateOrToast: (mutation: () => Promise<unknown>, message?: string) => void
}

/** Runs mutations that affect the queries under the given keys. */
export function useApiMutation(...affected: readonly QueryKey[]): ApiMutation {
  const client = useQueryClient()
  const toaster = useToaster()
  const [isBusy, setBusy] = useState(false)
  const mutate = async <T>(mutation: () => Promise<T>, message?: string): Promise<T> => {
    setBusy(true)
    try {
      const result = await mutation().finally(() =>
        Promise.all(affected.map((queryKey) => client.invalidateQueries({ queryKey }))),
      )
      if (message !== undefined) toaster.show(message)
      return result
    } finally {
      setBusy(false)
    }
  }
  const mutateOrToast: ApiMutation['mutateOrToast'] = (mutation, message) => {
    mutate(mutation, message).catch(toaster.showError)
  }
  return { isBusy, mutate, mutateOrToast }
}
