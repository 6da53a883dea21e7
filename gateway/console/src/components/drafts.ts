import { useEffect, useSyncExternalStore } from 'react'

/** What users have entered and not saved, other than cells: each with its name. */
const drafts = new Map<symbol, string>()
const listeners = new Set<() => void>()
let names: readonly string[] = []

function publish(): void {
  names = [...drafts.values()]
  for (const listener of listeners) listener()
}

const watch = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** While there is something that is not saved, the page is kept when the session ends, and says that `name` is not saved. */
export function useDraft(isPresent: boolean, name: string): void {
  useEffect(() => {
    if (!isPresent) return
    const key = Symbol(name)
    drafts.set(key, name)
    publish()
    return () => {
      drafts.delete(key)
      publish()
    }
  }, [isPresent, name])
}

/** Returns the names of what is not saved. */
export const useDrafts = (): readonly string[] => useSyncExternalStore(watch, () => names)
