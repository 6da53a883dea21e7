import { AppError } from '@sheaf/kit/errors'
import type { Cell, ColumnContext } from '../column-type'
import { cellText } from '../python-text'

/**
 * Returns a JSON value as a row id; undefined if it is not one. Throws AppError for the negative ids of row
 * actions.
 */
export function readRowId(value: unknown): bigint | undefined {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return undefined
  if (value < 0)
    throw new AppError('invalid', 'INVALID_VALUE', `Reference to unknown row id ${value}`)
  return BigInt(value)
}

/** Returns text of digits as a row id; undefined if it is not one. */
export function readRowIdText(text: string): bigint | undefined {
  return /^\s*\d{1,15}\s*$/.test(text) ? BigInt(text.trim()) : undefined
}

/** Rejects the read-only codes R and r: stored as text, they would lose their reference. */
export function refuseTypedReference(cell: Cell): void {
  if (Array.isArray(cell) && (cell[0] === 'R' || cell[0] === 'r')) {
    throw new AppError(
      'invalid',
      'INVALID_VALUE',
      `A reference with the code "${cell[0]}" cannot be written: use a row id, or ["L", …] for several row ids`,
    )
  }
}

/** The lookup requested by `["l", value, {"column": …}]`. */
export interface Lookup {
  values: readonly unknown[]
  find: (value: unknown) => bigint | undefined
  /** Text to store if nothing is found. */
  raw?: string
}

/** Reads a cell with the code `l` as a lookup; undefined for other cells. */
export function readLookup(cell: readonly unknown[], context: ColumnContext): Lookup | undefined {
  if (cell[0] !== 'l') return undefined
  const options = (typeof cell[2] === 'object' ? cell[2] : null) as Record<string, unknown> | null
  const column = options?.column
  const find = (value: unknown): bigint | undefined => {
    if (typeof value !== 'string' && typeof value !== 'number') return undefined
    const text = String(value)
    return typeof column === 'string' ? context.lookupIn?.(text, column) : context.lookup?.(text)
  }
  const values = Array.isArray(cell[1]) ? (cell[1] as unknown[]) : [cell[1]]
  return { values, find, ...(typeof options?.raw === 'string' ? { raw: options.raw } : {}) }
}

/** Text to store for a lookup without a result. */
export function lookupText({ raw, values }: Lookup): string {
  return raw ?? values.map(cellText).join(', ')
}
