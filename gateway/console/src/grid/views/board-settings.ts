import type { ViewSettings } from '@sheaf/client'
import type { Column } from '../../api/resources'

/** Columns on the cards of a new board: the title, and those below it. */
const NEW_COLUMNS = 5
const laneTypes: ReadonlySet<string> = new Set(['Choice', 'Ref', 'Bool', 'Text', 'Int', 'Numeric'])

const typeOf = ({ fields: { type } }: Column): string => type.split(':', 1)[0] ?? ''

/** Returns true for a column whose values can be the lanes of a board. */
export const makesLanes = (column: Column): boolean => laneTypes.has(typeOf(column))

/** The column of the lanes of a new board; undefined if there is none with choices. */
const firstChoiceColumn = (columns: readonly Column[]): Column | undefined =>
  columns.find((column) => typeOf(column) === 'Choice')

/** Returns the column that the first group of a view names, and whether its lanes are in descending order. */
export function laneColumn(
  [first = '']: readonly string[],
  columns: readonly Column[],
): { readonly column: Column; readonly isDescending: boolean } | undefined {
  const isDescending = first.startsWith('-')
  const id = first.replace(/^-/, '').replace(/:.*$/, '')
  const column = columns.find((one) => one.id === id)
  return column && makesLanes(column) ? { column, isDescending } : undefined
}

/** Returns what a new board shows: lanes by the first column with choices, and cards with a few columns. */
export function boardSettings(columns: readonly Column[]): ViewSettings {
  const lanes = firstChoiceColumn(columns)
  const onCards = columns.filter((column) => column !== lanes).slice(0, NEW_COLUMNS)
  return {
    type: 'board',
    groupBy: lanes ? [lanes.id] : [],
    columns: columns.map((column) => ({
      id: column.id,
      ...(!onCards.includes(column) && { hidden: true }),
    })),
  }
}
