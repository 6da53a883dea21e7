import { useEffect, useState, type RefObject } from 'react'

/** Returns true while an element is in the visible part of what scrolls it sideways, or close to it. */
export function useIsNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const { current } = element
    if (!current) return
    const observer = new IntersectionObserver(
      (entries) => setNear(entries.at(-1)?.isIntersecting ?? false),
      { root: current.parentElement, rootMargin: '0px 50%' },
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return isNear
}
