import { AppError } from '@sheaf/kit/errors'
import { quoteId } from '../../quoting/quote'
import type { DocumentReader } from '../../store/document'
import { requireTargets } from '../../store/schema/reference-targets'
import type { Column, Schema, Table } from '../../store/schema/schema'
import { RecalcWhen } from '../../store/schema/trigger-columns'
import { columnNotFound } from '../../store/schema/unknown-names'
import { fullTypeName } from '../../store/structure/columns'
import { columnType } from '../../values/column-types'
import { withErrors } from '../../values/error-cells'
import { Dependencies } from '../dependencies/dependencies'

/** Rows for which a formula is computed at most. */
const MAX_CHECKED_ROWS = 20
/** Length of a formula that is checked, in characters. */
const MAX_FORMULA_LENGTH = 65_536
/** Ref of a column that does not exist; those of existing ones are positive. */
const NEW_COLUMN = 0

/** A formula to check. */
export interface FormulaCheckRequest {
  readonly docId: string
  /** Table id, or its ref as decimal text. */
  readonly tableId: string
  /** The column whose formula would change; empty for a new column. */
  readonly columnId: string
  /** Column type; empty for the type that the column has, and for Any for a new column. */
  readonly type: string
  /** True for the formula of a data column, which has the names `value` and `user`. */
  readonly isTrigger: boolean
  readonly formula: string
  /** Ids of rows; empty for the first ones of the table. */
  readonly rowIds: readonly number[]
}

/** The document as it would be with the formula. */
export interface CheckPlan {
  readonly schema: Schema
  readonly tableId: string
  readonly column: Column
  readonly isTrigger: boolean
  readonly rowIds: readonly number[]
  /** Ref of the column when it does not exist. */
  readonly unstored: number | undefined
  /** Refs of the columns that depend on the column, as far as their formulas have run. */
  readonly dependents: ReadonlySet<number>
}

/**
 * Plans the check of a formula. Throws `not_found` for an unknown table or column, `invalid` for an unknown type or row and for
 * a formula that is empty or too long.
 */
export function planCheck(doc: DocumentReader, request: FormulaCheckRequest): CheckPlan {
  requireFormula(request.formula)
  const table = doc.schema.getWritable(request.tableId)
  const before = findColumn(table, request.columnId)
  const column = changeColumn(
    doc,
    before ?? { ...newColumn, position: table.columns.length },
    request,
  )
  const columns = before
    ? table.columns.map((known) => (known === before ? column : known))
    : [...table.columns, column]
  return {
    schema: doc.schema.withColumns(table, columns),
    tableId: table.tableId,
    column,
    isTrigger: request.isTrigger,
    rowIds: findRows(doc, table, request.rowIds),
    unstored: before ? undefined : NEW_COLUMN,
    dependents: before ? findDependents(doc, before.ref) : new Set(),
  }
}

function findColumn(table: Table, columnId: string): Column | undefined {
  if (columnId === '') return undefined
  const column = table.byId.get(columnId)
  if (!column) throw columnNotFound(columnId, table)
  return column
}

function changeColumn(
  doc: DocumentReader,
  before: Omit<Column, 'type' | 'formula' | 'isFormula'>,
  { type: wished, columnId, formula, isTrigger }: FormulaCheckRequest,
): Column {
  const typeName = fullTypeName(doc, wished || before.typeName)
  const type = withErrors(columnType(typeName))
  if (wished !== '') requireTargets(doc.schema, [{ id: columnId || 'new', type: typeName }])
  const { pendingAfter: _after, stopped: _reason, triggerStopped: _trigger, ...rest } = before
  // Whatever makes a trigger formula run, it runs for the check.
  const recalcWhen = isTrigger ? RecalcWhen.named : rest.recalcWhen
  return { ...rest, typeName, type, formula, isFormula: !isTrigger, recalcWhen }
}

const newColumn = {
  ref: NEW_COLUMN,
  // Functions that list the columns of a row leave out names of this kind.
  id: 'gristHelper_New',
  typeName: 'Any',
  widgetOptions: '',
  options: {},
  label: '',
  description: '',
  untieColIdFromLabel: false,
  ...{ summarySourceCol: 0, displayCol: 0, visibleCol: 0, reverseCol: 0, recalcWhen: 0 },
  ...{ rules: null, recalcDeps: null, hidden: false, isVolatile: false, hasDue: false },
} as const

function requireFormula(formula: string): void {
  if (formula === '') throw new AppError('invalid', 'BAD_FIELD', 'formula must not be empty')
  if (formula.length > MAX_FORMULA_LENGTH)
    throw new AppError(
      'invalid',
      'BAD_FIELD',
      `formula must not be longer than ${MAX_FORMULA_LENGTH} characters`,
    )
}

function findRows(
  { connection }: DocumentReader,
  { tableId }: Table,
  wanted: readonly number[],
): readonly number[] {
  const from = quoteId(tableId)
  if (wanted.length === 0)
    return connection
      .pluck<number>(`SELECT id FROM ${from} ORDER BY id LIMIT ${MAX_CHECKED_ROWS}`)
      .all()
  if (wanted.length > MAX_CHECKED_ROWS)
    throw new AppError(
      'invalid',
      'BAD_FIELD',
      `rowIds must not have more than ${MAX_CHECKED_ROWS} items`,
    )
  const found = new Set(
    connection
      .pluck<number>(`SELECT id FROM ${from} WHERE id IN (SELECT value FROM json_each(?))`)
      .all(JSON.stringify(wanted)),
  )
  const missing = wanted.find((id) => !found.has(id))
  if (missing !== undefined)
    throw new AppError('invalid', 'INVALID_ROW_ID', `rowIds: no row with id ${missing}`)
  return [...found].sort((a, b) => a - b)
}

function findDependents({ connection, schema }: DocumentReader, ref: number): Set<number> {
  const dependencies = Dependencies.load(connection, schema)
  const found = new Set<number>()
  for (const todo = [ref]; todo.length > 0;) {
    const next = todo.pop() ?? 0
    for (const { of } of [...dependencies.readersOf(next), ...dependencies.lookupsBy(next)]) {
      if (found.has(of.column.ref) || of.column.ref === ref) continue
      found.add(of.column.ref)
      todo.push(of.column.ref)
    }
  }
  return found
}
