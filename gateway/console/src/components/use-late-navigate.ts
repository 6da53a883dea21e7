import { useCallback } from 'react'
import { useNavigate, type NavigateOptions } from 'react-router'
import { useIsShown } from './use-is-shown'

/**
 * Returns a function that navigates after a call, unless the component was closed or its page left meanwhile: what the user has
 * gone on to stays. The same function each time.
 */
export function useLateNavigate(): (to: string, options?: NavigateOptions) => Promise<void> {
  const navigate = useNavigate()
  const isShown = useIsShown()
  return useCallback(
    async (to, options) => {
      if (isShown()) await navigate(to, options)
    },
    [navigate, isShown],
  )
}
