import { createContext } from 'react'

/**
 * Changes a cell whose editor is closed by then: `change` is given the value that the cell shows, or `known`, the one that the
 * editor had when it was closed, if the row is not loaded any more.
 */
export type EnterLate = (change: (value: unknown) => unknown, known: unknown) => void

/** Called while an editor is open, for its cell; undefined where values cannot be written later. */
export const LateEntryContext = createContext<() => EnterLate | undefined>(() => undefined)
