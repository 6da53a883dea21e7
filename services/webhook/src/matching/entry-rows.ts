import type { Operation, RowChange, SchemaChange } from '@sheaf/protos/sheaf/events/v1/changes'
import { splitJsonList } from './json-list'

/** Values of a column in one row change, as JSON texts in the order of its rows. */
interface ColumnCells {
  readonly ref: number
  readonly id: string
  readonly old?: readonly string[]
  readonly new?: readonly string[]
}

/** A decoded row change of one table. */
interface RowStep {
  readonly kind: 'addRows' | 'updateRows' | 'removeRows'
  readonly rowIds: readonly number[]
  readonly columns: readonly ColumnCells[]
  /** Number of schema changes of the table before it. */
  readonly schemaBefore: number
}

/** One change of a row. */
interface Touch {
  readonly step: RowStep
  readonly index: number
}

/** A cell of a row: the id of its column, and its JSON. */
export interface Cell {
  readonly id: string
  readonly json: string
}

/** Cells by the refs of their columns; manualSort has the ref 0. */
export type Row = ReadonlyMap<number, Cell>

/** A row that a log entry changes, before and after the entry. */
export interface ChangedRow {
  readonly rowId: number
  /** Position of its last change in the entry, counted by row changes of its table. */
  readonly number: number
  /** Undefined when the row did not exist. */
  readonly before?: Row
  /** Undefined when the row was deleted. */
  readonly after?: Row
}

/** The changes that an entry makes to one table. */
export class TableSteps {
  private readonly touches = new Map<number, Touch[]>()
  private readonly numbers = new Map<number, number>()
  private readonly schema: SchemaChange[] = []

  /** @param count row changes of this table earlier in the entry */
  constructor(private count: number) {}

  /** Row changes so far. */
  get rowCount(): number {
    return this.count
  }

  /** Adds the next change. Throws when it contradicts the earlier ones. */
  add(operation: NonNullable<Operation['operation']>): void {
    if (operation.$case === 'schema') {
      this.schema.push(operation.value)
      return
    }
    const step = readStep(operation.$case, operation.value, this.schema.length)
    step.rowIds.forEach((rowId, index) => {
      const known = this.touches.get(rowId)
      if (known) known.push({ step, index })
      else this.touches.set(rowId, [{ step, index }])
      this.numbers.set(rowId, this.count++)
    })
  }

  /** Yields the changed rows, in the order of their last changes. Each is assembled when it is requested. */
  *rows(): Generator<ChangedRow> {
    const ordered = [...this.numbers].sort(([, a], [, b]) => a - b)
    for (const [rowId, number] of ordered) {
      const touches = this.touches.get(rowId) ?? []
      yield { rowId, number, before: beforeOf(touches), after: this.afterOf(touches) }
    }
  }

  private afterOf(touches: readonly Touch[]): Row | undefined {
    if (touches.at(-1)?.step.kind === 'removeRows') return undefined
    const from = touches.findLastIndex(({ step }) => step.kind === 'addRows')
    const cells = new Map<number, Cell>()
    let schemaBefore = touches[0]?.step.schemaBefore ?? 0
    for (const { step, index } of touches.slice(Math.max(from, 0))) {
      this.followSchema(cells, schemaBefore, step.schemaBefore)
      schemaBefore = step.schemaBefore
      for (const { ref, id, new: values } of step.columns)
        if (values) cells.set(ref, { id, json: values[index] ?? 'null' })
    }
    this.followSchema(cells, schemaBefore, this.schema.length)
    return cells
  }

  /** Applies schema changes to a row that is not changed afterwards. */
  private followSchema(cells: Map<number, Cell>, from: number, to: number): void {
    for (const { kind, colRef, colId, newJson } of this.schema.slice(from, to)) {
      if (kind === 'remove_column') cells.delete(colRef)
      else if (kind === 'add_column') cells.set(colRef, { id: colId, json: emptyCell(newJson) })
      else if (kind === 'update_column') renameCell(cells, colRef, newJson)
    }
  }
}

function readStep(kind: RowStep['kind'], change: RowChange, schemaBefore: number): RowStep {
  const { rowIds } = change
  const read = (bytes: Uint8Array) => {
    if (bytes.length === 0) return undefined
    const values = splitJsonList(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(),
    )
    if (values.length !== rowIds.length)
      throw new RangeError('the numbers of values and rows of a change differ')
    return values
  }
  const columns = change.columns.map(({ colRef, colId, oldValuesJson, newValuesJson }) => ({
    ref: colRef,
    id: colId,
    old: read(oldValuesJson),
    new: read(newValuesJson),
  }))
  return { kind, rowIds, columns, schemaBefore }
}

/** Returns a row before its first change; cells that this change leaves alone keep their values. */
function beforeOf([first]: readonly Touch[]): Row | undefined {
  if (!first || first.step.kind === 'addRows') return undefined
  const { step, index } = first
  const cells = new Map<number, Cell>()
  for (const { ref, id, old, new: after } of step.columns) {
    const json = (old ?? after)?.[index]
    if (json !== undefined) cells.set(ref, { id, json })
  }
  return cells
}

/** Initial cell values of a new column by its type; null for all others. */
const emptyCells: Readonly<Record<string, string>> = {
  Text: '""',
  Choice: '""',
  Numeric: '0',
  Int: '0',
  Bool: 'false',
  Ref: '0',
}

interface Metadata {
  readonly colId?: string
  readonly type?: string
  readonly isFormula?: boolean
}

function readMetadata(json: Uint8Array): Metadata {
  return json.length === 0 ? {} : (JSON.parse(Buffer.from(json).toString()) as Metadata)
}

function emptyCell(json: Uint8Array): string {
  const { type = 'Any', isFormula = false } = readMetadata(json)
  return isFormula ? 'null' : (emptyCells[type.split(':')[0] ?? ''] ?? 'null')
}

function renameCell(cells: Map<number, Cell>, colRef: number, json: Uint8Array): void {
  const { colId } = readMetadata(json)
  const cell = cells.get(colRef)
  if (cell && colId !== undefined) cells.set(colRef, { ...cell, id: colId })
}
