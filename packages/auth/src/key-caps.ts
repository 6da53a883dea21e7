import { AppError } from '@sheaf/kit/errors'

/** Caps on what an API key may write into documents. An absent cap does not restrict. */
export interface KeyCaps {
  /** Maximum number of rows that one call may write. */
  readonly rowsPerCall?: number | undefined
  /** Maximum number of rows that may be written into one document within an hour. */
  readonly rowsPerHour?: number | undefined
  /** Ids of the only tables that may be written. */
  readonly tables?: readonly string[] | undefined
  /** True when tables and columns may not be changed. */
  readonly noStructure?: boolean | undefined
}

/** The error for a write that a cap of the caller's key excludes; `cap` is its name. */
export function keyCapError(cap: keyof KeyCaps, message: string): AppError {
  return new AppError('forbidden', 'KEY_CAP', message, { cap })
}

/** Caps as a claim of a caller token; the names are short because it is sent with every call. */
interface CapsClaim {
  readonly call?: number
  readonly hour?: number
  readonly tables?: readonly string[]
  readonly fixed?: true
}

/** Encodes caps as a claim. */
export function toCapsClaim(caps: KeyCaps | undefined): CapsClaim | undefined {
  if (!caps) return undefined
  const { rowsPerCall, rowsPerHour, tables, noStructure } = caps
  return { call: rowsPerCall, hour: rowsPerHour, tables, fixed: noStructure || undefined }
}

/** Decodes the caps of a claim; undefined for none. Throws for a malformed claim, which must not be taken for no caps. */
export function readCapsClaim(claim: unknown): KeyCaps | undefined {
  if (claim === undefined) return undefined
  if (typeof claim !== 'object' || claim === null) throw new Error('the caps are not an object')
  const { call, hour, tables, fixed } = claim as Readonly<Record<string, unknown>>
  return {
    rowsPerCall: readCount(call),
    rowsPerHour: readCount(hour),
    tables: readTables(tables),
    noStructure: fixed === true,
  }
}

function readCount(value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw new Error('the caps have an invalid number')
  return value
}

function readTables(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new Error('the caps have an invalid list of tables')
  return value
}
