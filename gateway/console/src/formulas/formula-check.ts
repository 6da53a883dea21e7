import { docPath } from '../api/paths'
import { sheaf } from '../api/sheaf'

/** A formula to check: for a column, or for a new one. */
export interface FormulaInput {
  readonly docId: string
  readonly tableId: string
  /** The column whose formula would change; undefined for a new column. */
  readonly colId: string | undefined
  /** Column type of the results. */
  readonly type: string
  /** False for a trigger formula. */
  readonly isFormula: boolean
  readonly formula: string
  /** Rows to compute; empty for the first ones of the table. */
  readonly rowIds: readonly number[]
}

/** A place in a formula: line and character, from 1; 0 when it is not known. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** The error of a formula in one row. */
export interface FormulaError {
  readonly name: string
  readonly message: string
  readonly line: number
}

/** The result of a formula in one row. */
export interface CheckedRow {
  readonly id: number
  readonly value: unknown
  readonly error: FormulaError | null
}

/** A name in a formula that nothing has. */
export interface UnknownName extends Place {
  readonly kind: 'name' | 'column' | 'method'
  readonly name: string
  readonly tableId: string | null
  readonly suggestion: string | null
}

/** How a formula runs. */
export interface Engine {
  readonly engine: 'compiled' | 'python'
  /** The part of the formula that needs Python; null for a compiled formula. */
  readonly pythonReason: string | null
}

/** Errors and results of a formula. */
export interface CheckedFormula extends Engine {
  readonly syntaxErrors: readonly (Place & { readonly message: string })[]
  readonly unknownNames: readonly UnknownName[]
  readonly rows: readonly CheckedRow[]
  /** Limit that the formula exceeded; null when it ran to its end. */
  readonly stopped: 'time' | 'memory' | null
}

/** Checks a formula. Nothing is stored. */
export function checkFormula(input: FormulaInput, signal: AbortSignal): Promise<CheckedFormula> {
  const { docId, rowIds, ...others } = input
  const json = { ...others, rowIds: rowIds.length > 0 ? rowIds : undefined }
  const call = { method: 'POST', path: `${docPath(docId)}/formulas/check`, json } as const
  // The editor tries again itself, until the formula is another one.
  return sheaf().request<CheckedFormula>(call, { signal, retry: { attempts: 1 } })
}

/** Computes a formula column again, including a stopped one. */
export async function recalculate(docId: string, tableId: string, colId: string): Promise<void> {
  const query = { tableId, colId }
  await sheaf().request({ method: 'POST', path: `${docPath(docId)}/formulas/recalculate`, query })
}

/** A problem of a formula, for display and for marking in the editor. */
export interface Problem extends Place {
  readonly message: string
  /** Number of characters concerned; 0 for the whole line. */
  readonly length: number
}

/** Returns the problems of a checked formula: errors of syntax, unknown names, and the errors of its rows by line. */
export function problemsOf({ syntaxErrors, unknownNames, rows }: CheckedFormula): Problem[] {
  if (syntaxErrors.length > 0) return syntaxErrors.map((error) => ({ ...error, length: 0 }))
  const unknown = unknownNames.map((found) => ({
    line: found.line,
    column: found.column,
    length: found.name.length,
    message: describeUnknown(found),
  }))
  // An unknown name causes the errors of the rows as well.
  if (unknown.length > 0) return unknown
  const errors = new Map<string, { error: FormulaError; count: number }>()
  for (const { error } of rows) {
    if (!error) continue
    const key = `${error.line} ${error.name} ${error.message}`
    const known = errors.get(key)
    errors.set(key, { error, count: (known?.count ?? 0) + 1 })
  }
  return [...errors.values()].map(({ error, count }) => ({
    line: error.line,
    column: 0,
    length: 0,
    message: `${describeError(error)}, in ${count} of ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`,
  }))
}

function describeUnknown({ kind, name, tableId, suggestion }: UnknownName): string {
  const what =
    kind === 'column'
      ? `${tableId} has no column “${name}”`
      : kind === 'method'
        ? `Tables have no “${name}”`
        : `“${name}” is not known`
  return suggestion === null ? what : `${what}. Did you mean “${suggestion}”?`
}

/** Returns the class and the message of an error. */
export const describeError = ({ name, message }: FormulaError): string =>
  message === '' ? name : `${name}: ${message}`

/** Describes how a formula runs. */
export const describeEngine = ({ pythonReason }: Engine): string =>
  pythonReason === null ? 'Compiled: needs no Python' : `Python: because of ${pythonReason}`

/** Describes why a formula was stopped. */
export const stopTexts: Readonly<Record<'time' | 'memory', string>> = {
  time: 'The formula takes too long.',
  memory: 'The formula needs too much memory.',
}
