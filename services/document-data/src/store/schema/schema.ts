import { AppError } from '@sheaf/kit/errors'
import { BEFORE_ALL_ROWS } from '../sqlite/pending-rows'
import type { ColumnType, DocumentSettings } from '../../values/column-type'
import { columnType } from '../../values/column-types'
import { withErrors, type StopReason } from '../../values/error-cells'
import type { Connection } from '../sqlite/connections'
import { findMetadataColumns, VIEWS } from './metadata-tables'
import { tableNotFound } from './unknown-names'

/** The metadata of a column. */
export interface Column {
  /** Row id in `_grist_Tables_column`; 0 for columns of metadata tables. */
  readonly ref: number
  readonly id: string
  readonly position: number
  /** The type as text, with its argument. */
  readonly typeName: string
  readonly type: ColumnType
  readonly isFormula: boolean
  readonly formula: string
  readonly widgetOptions: string
  /** The parsed widget options; empty when they are not a JSON object. */
  readonly options: Readonly<Record<string, unknown>>
  /** Choices in order, if the widget options define them. */
  readonly choices?: readonly string[]
  readonly label: string
  readonly description: string
  readonly untieColIdFromLabel: boolean
  readonly summarySourceCol: number
  readonly displayCol: number
  readonly visibleCol: number
  /** JSON list of column refs, or null. */
  readonly rules: string | null
  readonly reverseCol: number
  readonly recalcWhen: number
  /** JSON list of column refs, or null. */
  readonly recalcDeps: string | null
  /** True for columns that listings leave out: manualSort and display columns. */
  readonly hidden: boolean
  /** Cells of rows with a greater id are not computed yet; absent when all are. */
  readonly pendingAfter?: number
  /** The limit that the formula exceeded; it is not computed until it changes or is recalculated. */
  readonly stopped?: StopReason
  /** The same for a trigger formula, whose cells are data and stay readable. */
  readonly triggerStopped?: StopReason
  /** True for a trigger column with cells that are still to be computed. */
  readonly hasDue: boolean
  /** True when the formula depends on the time at which it runs. */
  readonly isVolatile: boolean
}

/** A table with its columns by position; queries are built from it. */
export interface Table {
  /** Row id in `_grist_Tables`; 0 for metadata tables. */
  readonly ref: number
  readonly tableId: string
  readonly primaryViewId: number
  readonly summarySourceTable: number
  readonly onDemand: boolean
  readonly rawViewSectionRef: number
  readonly recordCardViewSectionRef: number
  readonly columns: readonly Column[]
  /** The columns by id. */
  readonly byId: ReadonlyMap<string, Column>
  /** Highest manualSort when rows were placed by hand; else 0, and no row's manualSort is above its id. */
  readonly manualSortTop: number
}

/** The schema of a document at one moment. Immutable; a change creates a new one. */
export class Schema {
  private readonly byId: ReadonlyMap<string, Table>
  private readonly byRef: ReadonlyMap<number, Table>
  private readonly metadata = new Map<string, Table>()

  constructor(
    readonly settings: DocumentSettings,
    /** User tables by ref. */
    readonly tables: readonly Table[],
    /** False for a document in a format that has no views. */
    readonly hasViews: boolean,
  ) {
    this.byId = new Map(tables.map((table) => [table.tableId, table]))
    this.byRef = new Map(tables.map((table) => [table.ref, table]))
  }

  /** A user table by ref. */
  findByRef(ref: number): Table | undefined {
    return this.byRef.get(ref)
  }

  /** A user table by id, or by its ref as decimal text. */
  find(tableId: string): Table | undefined {
    return this.byId.get(tableId) ?? (/^\d+$/.test(tableId) ? this.byRef.get(+tableId) : undefined)
  }

  /** A user table. Throws `not_found`. */
  get(tableId: string): Table {
    const table = this.find(tableId)
    if (!table) throw tableNotFound(tableId, this.tables)
    return table
  }

  /** A user table, or a metadata table by its name. Throws `not_found`. */
  getReadable(tableId: string): Table {
    return this.findMetadataTable(tableId) ?? this.get(tableId)
  }

  /** A user table that may be written. Throws `not_found`, and `invalid` for a metadata table. */
  getWritable(tableId: string): Table {
    if (findMetadataColumns(tableId))
      throw new AppError(
        'invalid',
        'TABLE_READ_ONLY',
        `table "${tableId}" cannot be written as records`,
      )
    return this.get(tableId)
  }

  /** This schema with other columns of one table. */
  withColumns(table: Table, columns: readonly Column[]): Schema {
    const changed = createTable(table, columns)
    return new Schema(
      this.settings,
      this.tables.map((known) => (known === table ? changed : known)),
      this.hasViews,
    )
  }

  /** The table of views; undefined for a document in a format that has none. */
  findViews(): Table | undefined {
    return this.findMetadataTable(VIEWS)
  }

  private findMetadataTable(tableId: string): Table | undefined {
    if (tableId === VIEWS && !this.hasViews) return undefined
    const known = this.metadata.get(tableId)
    const columns = known ? undefined : findMetadataColumns(tableId)
    if (!columns) return known
    const table = createTable(
      { ...noMetadata, tableId },
      columns.map(([id, type], position) => metadataColumn({ id, type, position })),
    )
    this.metadata.set(tableId, table)
    return table
  }
}

/** Reads the schema of a document as the connection sees it. */
export function readSchema(connection: Connection): Schema {
  const columns = new Map<number, Column[]>()
  const rows = connection.prepare<ColumnRow>(COLUMNS).all()
  for (const row of rows) {
    const siblings = columns.get(row.parentId)
    if (siblings) siblings.push(fromRow(row))
    else columns.set(row.parentId, [fromRow(row)])
  }
  const tables = connection.prepare<TableRow>(TABLES).all()
  return new Schema(
    readSettings(connection),
    tables.map((row) =>
      createTable({ ...row, onDemand: row.onDemand !== 0 }, columns.get(row.ref) ?? []),
    ),
    connection.pluck(HAS_VIEWS).get() === 1,
  )
}

// In format 14, which no release wrote, views lack columns.
const HAS_VIEWS = `SELECT EXISTS (SELECT 1 FROM pragma_table_info('${VIEWS}') WHERE name = 'summaries')`

const COLUMNS = `
  SELECT c.*, f.column_ref IS NOT NULL AS isKnown, f.pending_after, f.stopped,
    coalesce(f.volatile, 0) AS volatile,
    EXISTS (SELECT 1 FROM _sheaf_due_cells d WHERE d.column_ref = c.id) AS isDue
  FROM _grist_Tables_column c LEFT JOIN _sheaf_formulas f ON f.column_ref = c.id
  ORDER BY c.parentId, c.parentPos, c.id`

const TABLES = `
  SELECT t.id AS ref, t.tableId, t.primaryViewId, t.summarySourceTable, t.onDemand,
    t.rawViewSectionRef, t.recordCardViewSectionRef, coalesce(s.manual_sort_top, 0) AS manualSortTop
  FROM _grist_Tables t LEFT JOIN _sheaf_tables s ON s.table_ref = t.id ORDER BY t.id`

type TableFacts = Omit<Table, 'columns' | 'byId'>
type TableRow = Omit<TableFacts, 'onDemand'> & { readonly onDemand: number }

interface ColumnRow {
  readonly id: number
  readonly parentId: number
  readonly parentPos: number
  readonly colId: string
  readonly type: string
  readonly widgetOptions: string
  readonly isFormula: number
  readonly formula: string
  readonly label: string
  readonly description: string
  readonly untieColIdFromLabel: number
  readonly summarySourceCol: number
  readonly displayCol: number
  readonly visibleCol: number
  readonly rules: string | null
  readonly reverseCol: number
  readonly recalcWhen: number
  readonly recalcDeps: string | null
  /** 0 when the column, if it is a formula column, has never been computed. */
  readonly isKnown: number
  readonly pending_after: number | null
  readonly stopped: StopReason | null
  readonly volatile: number
  readonly isDue: number
}

const noMetadata: TableFacts = {
  ref: 0,
  tableId: '',
  primaryViewId: 0,
  summarySourceTable: 0,
  onDemand: false,
  rawViewSectionRef: 0,
  recordCardViewSectionRef: 0,
  manualSortTop: 0,
}

function createTable(facts: TableFacts, columns: readonly Column[]): Table {
  return { ...facts, columns, byId: new Map(columns.map((column) => [column.id, column])) }
}

function fromRow(row: ColumnRow): Column {
  const { id, parentId: _table, parentPos, colId, type, isKnown, ...others } = row
  const { pending_after: pendingAfter, stopped, volatile, isDue, ...rest } = others
  const options = readOptions(row.widgetOptions)
  const isFormula = row.isFormula !== 0
  const isComputed = isFormula && row.formula !== ''
  const plainType = columnType(type)
  return {
    ...rest,
    ref: id,
    id: colId,
    position: parentPos,
    typeName: type,
    type: row.formula === '' && plainType.storage !== 'any' ? plainType : withErrors(plainType),
    options,
    choices: readChoices(options),
    isFormula,
    untieColIdFromLabel: row.untieColIdFromLabel !== 0,
    hidden: isHidden(colId),
    isVolatile: volatile !== 0,
    hasDue: isDue !== 0,
    ...(isComputed && isKnown === 0 && { pendingAfter: BEFORE_ALL_ROWS }),
    ...(isComputed && pendingAfter !== null && { pendingAfter }),
    ...(isComputed && stopped !== null && { stopped }),
    ...(!isFormula && stopped !== null && { triggerStopped: stopped }),
  }
}

/** Clients store arbitrary text here, so anything but an object counts as empty. */
function readOptions(text: string): Record<string, unknown> {
  if (text === '') return {}
  try {
    const options = JSON.parse(text) as unknown
    return typeof options === 'object' && options !== null ? { ...options } : {}
  } catch {
    return {}
  }
}

function readChoices({ choices }: Record<string, unknown>): readonly string[] | undefined {
  return Array.isArray(choices) && choices.every((choice) => typeof choice === 'string')
    ? choices
    : undefined
}

function metadataColumn(of: { id: string; type: string; position: number }): Column {
  return fromRow({
    id: 0,
    parentId: 0,
    parentPos: of.position,
    colId: of.id,
    type: of.type,
    widgetOptions: '',
    isFormula: 0,
    formula: '',
    label: of.id,
    description: '',
    untieColIdFromLabel: 0,
    summarySourceCol: 0,
    displayCol: 0,
    visibleCol: 0,
    rules: null,
    reverseCol: 0,
    recalcWhen: 0,
    recalcDeps: null,
    isKnown: 1,
    pending_after: null,
    stopped: null,
    volatile: 0,
    isDue: 0,
  })
}

/** Number of formula columns with cells that are still to be computed. */
export function countPending({ tables }: Schema): number {
  let count = 0
  for (const { columns } of tables)
    for (const { pendingAfter, stopped } of columns)
      if (pendingAfter !== undefined && !stopped) count++
  return count
}

/** Number of columns with cells that are still to be computed: pending ones, and those that trigger formulas give values. */
export function countUnfinished(schema: Schema): number {
  let count = countPending(schema)
  for (const { columns } of schema.tables)
    for (const { hasDue, triggerStopped } of columns) if (hasDue && !triggerStopped) count++
  return count
}

function isHidden(colId: string): boolean {
  return colId === 'manualSort' || colId.startsWith('gristHelper_')
}

function readSettings(connection: Connection): DocumentSettings {
  const row = connection
    .prepare<{ timezone: string; documentSettings: string }>(
      'SELECT * FROM _grist_DocInfo WHERE id = 1',
    )
    .get()
  const settings = JSON.parse(row?.documentSettings || '{}') as { locale?: unknown }
  return {
    timezone: row?.timezone ?? 'UTC',
    locale: typeof settings.locale === 'string' ? settings.locale : 'en-US',
  }
}
