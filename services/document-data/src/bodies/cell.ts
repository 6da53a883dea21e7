import { isTooDeep } from '@sheaf/kit/json-depth'

/** Type codes that a list cell may begin with. */
const CODES = new Set(['L', 'l', 'O', 'D', 'd', 'R', 'r', 'E', 'P', 'U', 'C', 'S', 'V'])

/** The end of the statement, in words of the Grist API, that a value is not a cell. */
export const CELL_KINDS = ' is none of number, string, boolean, null, 1 more'
/** The same for people. */
export const ACCEPTED_CELLS =
  ' is not a cell value: it must be a number, text, boolean, null, or a list with a type code, such as ["L", "a", "b"]'

/** Returns an error message if a decoded value is not a valid cell, otherwise undefined. */
export function faultOfCell(value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) {
    return value === undefined ? `${path} is missing` : undefined
  }
  if (isTooDeep(value)) return `${path} is not a CellValue; ${path} is nested too deeply`
  if (Array.isArray(value) && typeof value[0] === 'string' && CODES.has(value[0])) return undefined
  const none = `${path} is not a CellValue; ${path}${CELL_KINDS}`
  if (!Array.isArray(value)) return none
  return `${none}; ${path}[0] is not a GristObjCode; ${path}[0] is not a valid enum value`
}
