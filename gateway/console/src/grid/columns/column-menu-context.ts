import { createContext } from 'react'
import type { Column } from '../../api/resources'

/** Opens the menu of a column at its header. Outside of a grid there is none. */
export const ColumnMenuContext = createContext<(column: Column, header: HTMLElement) => void>(
  () => {},
)
