import { useCallback, useLayoutEffect, useRef } from 'react'

/**
 * Returns a function that reports whether the component is still shown, for what happens after a call: the user may have gone on
 * to something else meanwhile. The same function each time.
 */
export function useIsShown(): () => boolean {
  const isShown = useRef(true)
  useLayoutEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return useCallback(() => isShown.current, [])
}
