import { AppError } from '@sheaf/kit/errors'
import { columnIdFor } from '../../identifiers'
import { columnType } from '../../values/column-types'
import { logValue, redoTogether, type RedoHints } from '../log/log'
import { columnMetadata, type ColumnMetadata } from '../schema/column-metadata'
import type { DocumentWriter } from '../document'
import { targetsOf } from '../schema/reference-targets'
import type { Column, Table } from '../schema/schema'
import { BEFORE_ALL_ROWS } from '../sqlite/pending-rows'
import { fullTypeName } from './columns'
import { changeCells, fillOf, isComputed, type CellForm, type Conversion } from './column-cells'
import { findFormulaRenames, type FormulaRename } from './formula-renames'
import { guessResultType } from './result-type'
import { reshapeStoredColumns } from './storage-layout'

/** The metadata to change; absent ones are unchanged. */
export type ColumnChange = {
  -readonly [key in keyof ColumnMetadata]?: ColumnMetadata[key] | undefined
}

/** A column whose metadata change. */
export interface Revision {
  readonly ref: number
  readonly before: ColumnMetadata
  readonly after: ColumnMetadata
  /** See CellChange. */
  readonly convert?: Conversion | null | undefined
  /** See SchemaOperation. */
  readonly follows?: true
}

/** The changes of one column. */
export interface AppliedChange {
  readonly column: Column
  readonly change: ColumnChange
  /** Overrides the conversion between the types. */
  readonly convert?: Conversion
}

/** Changes columns of a table together: its rows are rewritten at most once. */
export function applyChanges(
  doc: DocumentWriter,
  table: Table,
  changes: readonly AppliedChange[],
): void {
  const taken = new Set(table.columns.map(({ id }) => id.toLowerCase()))
  const revisions = new Map<number, Revision>()
  for (const { column, change, convert } of changes) {
    const { ref } = column
    const known = revisions.get(ref)
    const before = known?.before ?? columnMetadata(column)
    const after = revise(doc, { table, column, now: known?.after ?? before, change, taken })
    revisions.set(ref, { ref, before, after, convert })
  }
  applyRevisions(doc, table, [...revisions.values()])
}

/**
 * Sets exactly these metadata for columns of a table; ids must be free and types known.
 * @param isFollowed whether formulas that use a renamed column follow
 */
export function applyRevisions(
  doc: DocumentWriter,
  table: Table,
  revisions: readonly Revision[],
  isFollowed = true,
): void {
  const changed = revisions.filter(({ before, after }) => differ(before, after))
  if (changed.length === 0) return
  const followers = isFollowed ? findFollowers(doc, table, changed) : []
  storeForms(doc, table, changed)
  changed.forEach((revision, index) => {
    saveMetadata(doc, revision)
    record(doc, table, revision, redoTogether(index, changed.length))
    const { ref, before, after, convert } = revision
    changeCells(doc, {
      table,
      column: { id: after.colId, ref },
      from: { ...cellForm(before), pendingAfter: pendingIn(table, ref) },
      to: cellForm(after),
      convert,
    })
  })
  doc.schemaChanged()
  followRenames(doc, followers)
}

function pendingIn({ columns }: Table, columnRef: number): number | undefined {
  const column = columns.find(({ ref }) => ref === columnRef)
  return column?.stopped ? BEFORE_ALL_ROWS : column?.pendingAfter
}

/** The formulas that follow new ids of columns. A formula that is given with an id is meant to have the new names. */
function findFollowers(
  { schema }: DocumentWriter,
  { tableId }: Table,
  changed: readonly Revision[],
): FormulaRename[] {
  const renamed = changed.filter(({ before, after }) => before.colId !== after.colId)
  if (renamed.length === 0) return []
  const ids = new Map(renamed.map(({ before, after }) => [before.colId, after.colId]))
  const given = changed.filter(({ before, after }) => before.formula !== after.formula)
  const renames = { tables: new Map<string, string>(), columns: new Map([[tableId, ids]]) }
  return findFormulaRenames(schema, renames, new Set(given.map(({ ref }) => ref)))
}

/** Changes formulas that use what was renamed. */
export function followRenames(doc: DocumentWriter, renames: readonly FormulaRename[]): void {
  const formulas = new Map(renames.map(({ columnRef, formula }) => [columnRef, formula]))
  for (const tableRef of new Set(renames.map((rename) => rename.tableRef))) {
    const table = doc.schema.findByRef(tableRef)
    const revisions = (table?.columns ?? []).flatMap((column): Revision[] => {
      const formula = formulas.get(column.ref)
      const before = columnMetadata(column)
      return formula === undefined
        ? []
        : [{ ref: column.ref, before, after: { ...before, formula }, follows: true }]
    })
    if (table) applyRevisions(doc, table, revisions)
  }
}

/** Prepares the stored table, and the metadata, for columns that change together. */
export function storeForms(
  doc: DocumentWriter,
  table: Table,
  changed: readonly Pick<Revision, 'ref' | 'before' | 'after'>[],
): void {
  reshape(doc, table, changed)
  freeIds(doc, changed)
}

interface Revising {
  readonly table: Table
  readonly column: Column
  readonly now: ColumnMetadata
  readonly change: ColumnChange
  /** Ids in use, in lower case; updated. */
  readonly taken: Set<string>
}

/** The new metadata of a column. */
function revise(doc: DocumentWriter, revising: Revising): ColumnMetadata {
  const { table, column, now, change, taken } = revising
  const given = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  ) as Partial<ColumnMetadata>
  const type = given.type ?? typeOfResults(doc, revising) ?? now.type
  const after = { ...now, ...given, type: fullTypeName(doc, type) }
  columnType(after.type)
  const colId = nextId(now, { after, wish: given.colId }, taken)
  if (given.displayCol !== undefined && given.displayCol !== now.displayCol)
    requireSibling(table, given.displayCol)
  const revised = { ...after, colId }
  if (differ(now, revised)) requireOwn(column)
  return revised
}

/** The type that follows from the results of a formula, when a column of type Any is to keep them as data. */
function typeOfResults(
  doc: DocumentWriter,
  { table, column, now, change }: Revising,
): string | undefined {
  const keeps = now.type === 'Any' && isComputed(now) && change.isFormula === false
  return keeps ? guessResultType(doc, table, column.id) : undefined
}

/** The new id: a requested one, otherwise that of a new label to which the id is tied. */
function nextId(
  now: ColumnMetadata,
  { after, wish }: { readonly after: ColumnMetadata; readonly wish: string | undefined },
  taken: Set<string>,
): string {
  const { label, untieColIdFromLabel } = after
  const isTied = !untieColIdFromLabel && (label !== now.label || now.untieColIdFromLabel)
  const asked = wish ?? (isTied ? label : now.colId)
  if (asked === now.colId) return now.colId
  taken.delete(now.colId.toLowerCase())
  const id = columnIdFor(asked, taken)
  taken.add(id.toLowerCase())
  return id
}

/** Throws `invalid` for the column that Sheaf maintains itself. */
export function requireOwn({ id }: Column): void {
  if (id === 'manualSort')
    throw new AppError(
      'invalid',
      'COLUMN_READ_ONLY',
      'column "manualSort" is managed by the system and cannot be changed',
    )
}

function requireSibling({ columns }: Table, ref: number): void {
  if (ref !== 0 && !columns.some((column) => column.ref === ref))
    throw new AppError('invalid', 'BAD_FIELD', `displayCol ${ref} is not a column of the table`)
}

/** Gives the stored table the new ids and storage of its columns. */
function reshape(
  doc: DocumentWriter,
  table: Table,
  changed: readonly Pick<Revision, 'ref' | 'before' | 'after'>[],
): void {
  const rest = new Map(table.columns.map((column) => [column.ref, column]))
  const moved = changed.map(({ ref, before, after }) => {
    const old = rest.get(ref)?.type ?? columnType(before.type)
    rest.delete(ref)
    const type = columnType(after.type)
    // Cells are converted to text explicitly, and the conversion needs their former values.
    const storedAs = type.affinity === 'TEXT' && old.affinity !== 'TEXT' ? old : type
    return { from: before.colId, id: after.colId, type: storedAs, isComputed: true }
  })
  const unmoved = [...rest.values()].map(({ id, type }) => ({ from: id, id, type }))
  const still = unmoved.map((column) => ({ ...column, isComputed: false }))
  reshapeStoredColumns(doc, table, [...still, ...moved])
}

/** While ids are exchanged, one of them would briefly be in use twice. */
function freeIds(
  { connection }: DocumentWriter,
  changed: readonly Pick<Revision, 'ref' | 'before' | 'after'>[],
): void {
  const renamed = changed.filter(({ before, after }) => before.colId !== after.colId)
  if (renamed.length < 2) return
  const free = connection.prepare(
    "UPDATE _grist_Tables_column SET colId = '_sheaf_' || id WHERE id = ?",
  )
  for (const { ref } of renamed) free.run(ref)
}

/** The storage of cells of a column with these metadata. */
export function cellForm({ type, isFormula, formula }: ColumnMetadata): CellForm {
  return { typeName: type, isFormula, formula }
}

function differ(before: ColumnMetadata, after: ColumnMetadata): boolean {
  return changedKeys(before, after).length > 0
}

function changedKeys(before: ColumnMetadata, after: ColumnMetadata): (keyof ColumnMetadata)[] {
  return (Object.keys(before) as (keyof ColumnMetadata)[]).filter(
    (key) => before[key] !== after[key],
  )
}

/** Writes the changed metadata of a column. */
export function saveMetadata(
  doc: DocumentWriter,
  { ref, before, after }: Pick<Revision, 'ref' | 'before' | 'after'>,
): void {
  const keys = changedKeys(before, after)
  const stored = keys.map((key) => {
    const value = after[key]
    return typeof value === 'boolean' ? Number(value) : value
  })
  doc.connection
    .prepare(
      `UPDATE _grist_Tables_column SET ${keys.map((key) => `${key} = ?`).join(', ')} WHERE id = ?`,
    )
    .run(...stored, ref)
}

function record(
  doc: DocumentWriter,
  table: Table,
  { ref, before, after, convert, follows }: Revision,
  together: RedoHints | undefined,
): void {
  const keys = changedKeys(before, after)
  const fill = fillOf({ from: cellForm(before), to: cellForm(after), convert })
  const pick = (metadata: ColumnMetadata) =>
    Object.fromEntries(keys.map((key) => [key, metadata[key]]))
  doc.record({
    kind: 'update_column',
    table: table.tableId,
    tableRef: table.ref,
    column: before.colId,
    columnRef: ref,
    old: pick(before),
    new: pick(after),
    follows,
    targets: keys.includes('type') ? targetsOf(doc.schema, [before.type, after.type]) : undefined,
    redo: fill === undefined ? together : { ...together, fill: logValue(fill) },
  })
}
