import type { DocumentReader } from '../../store/document'
import { requireRow } from '../../store/sqlite/connections'
import { cellJsonSql, type StoredValue } from '../../values/column-type'
import { isStoredError, readStoredError, type StopReason } from '../../values/error-cells'
import type { ExchangeOutcome } from '../exchange/exchange'
import type { CheckedMessage, SyntaxErrorMessage } from '../exchange/messages'
import type { CheckPlan } from './check-plan'
import { describeUnknownNames, type UnknownName } from './unknown-names'

/** An error of a formula in one row; line 0 stands for an unknown line. */
export interface CellError {
  readonly name: string
  readonly message: string
  readonly line: number
}

/** The result of a formula in one row. */
export interface CheckedCell {
  readonly rowId: number
  /** The cell as JSON, in the form of reads … */
  readonly json: Buffer
  /** … and with a type code. */
  readonly typedJson: Buffer
  readonly error?: CellError
}

/** What a check has found. */
export interface CheckedFormula {
  readonly syntaxErrors: readonly SyntaxErrorMessage[]
  readonly unknownNames: readonly UnknownName[]
  /** By row id; empty when the formula was stopped. */
  readonly cells: readonly CheckedCell[]
  /** The limit that the formula exceeded. */
  readonly stopped?: StopReason
}

/** Errors of syntax and unknown names. */
export function describeChecked(
  { schema, tableId, column, isTrigger }: CheckPlan,
  checked: CheckedMessage | undefined,
): Pick<CheckedFormula, 'syntaxErrors' | 'unknownNames'> {
  if (!checked) return { syntaxErrors: [], unknownNames: [] }
  const names = isTrigger ? [...checked.names, 'value', 'user'] : checked.names
  const unknownNames = describeUnknownNames(schema, { formula: column.formula, tableId, names })
  return { syntaxErrors: checked.syntax, unknownNames }
}

/** The results in the forms in which reads would return them. */
export function readCells(
  { connection }: DocumentReader,
  { column }: CheckPlan,
  {
    done,
    results,
    syntax,
  }: ExchangeOutcome & {
    readonly kind: 'done'
    readonly syntax: readonly SyntaxErrorMessage[]
  },
): CheckedCell[] {
  const found = results.get(column.ref)
  if (!found) return []
  const lines = new Map(done.lines)
  const statement = connection.raw<[Buffer, Buffer]>(
    `SELECT CAST(json_quote(${column.type.jsonSql('"cell"')}) AS BLOB),
       CAST(json_quote(${cellJsonSql(column.type, '"cell"', true)}) AS BLOB)
     FROM (SELECT ? AS "cell")`,
  )
  const read = (rowId: number, value: StoredValue): CheckedCell => {
    const [json, typedJson] = requireRow(statement.get(value))
    if (!isStoredError(value)) return { rowId, json, typedJson }
    const error = { ...readStoredError(value), line: lines.get(rowId) ?? syntax[0]?.line ?? 0 }
    return { rowId, json, typedJson, error }
  }
  return found.rowIds
    .map((rowId, index) => read(rowId, found.values[index] ?? null))
    .sort((a, b) => a.rowId - b.rowId)
}
