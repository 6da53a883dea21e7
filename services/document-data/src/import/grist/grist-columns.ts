import { cutText } from '@sheaf/kit/truncate-text'
import { columnIdFor } from '../../identifiers'
import type { ColumnType } from '../../values/column-type'
import { columnType } from '../../values/column-types'
import { isComputed } from '../../store/structure/column-cells'
import { requireRef, text, whole } from '../copy-metadata'
import { badFile, shown } from '../import-errors'
import { importLimits } from '../import-limits'
import type { ImportNotes } from '../import-notes'

/** A row of a metadata table of the file, decoded. */
export type MetadataRow = Readonly<Record<string, unknown>>

/** A column of the new document. */
export interface GristColumn {
  readonly id: string
  readonly ref: number
  readonly type: ColumnType
  /** Its name in the file; absent when it is not stored there. */
  readonly from?: string
  /** True when its cells come from a formula, … */
  readonly isComputed: boolean
  /** … and when they may be errors. */
  readonly holdsErrors: boolean
  /** Its row in the table of columns. */
  readonly fields: MetadataRow
}

/** What columns of a table need to know. */
export interface ColumnsContext {
  readonly tableRef: number
  readonly tableId: string
  /** True for a summary table, which is imported as data. */
  readonly isSummary: boolean
  /** Names of the columns that the file stores for the table. */
  readonly stored: ReadonlySet<string>
  /** Ids of the tables of the document. */
  readonly tableIds: ReadonlySet<string>
  /** Refs of columns that show the values of another column. */
  readonly displays: ReadonlySet<number>
  readonly timezone: string
  readonly notes: ImportNotes
}

const HELPER = 'gristHelper_'
const MANUAL_SORT = 'manualSort'

/**
 * The columns of a table. Helper columns are left out unless another column displays its values by them. Throws
 * `invalid` for metadata that no document has.
 */
export function planColumns(rows: readonly MetadataRow[], context: ColumnsContext): GristColumn[] {
  const { tableId, isSummary, displays } = context
  const used = new Set<string>()
  const kept = rows.filter((row) => {
    const id = text(row.colId)
    requireColumnId(id, used, tableId)
    return !id.startsWith(HELPER) || (displays.has(whole(row.id)) && !isSummary)
  })
  return kept.map((row) => planColumn(row, context))
}

function requireColumnId(id: string, used: Set<string>, tableId: string): void {
  if (id === '' || columnIdFor(id, used) !== id)
    throw badFile(`${shown(id)} is not a valid column id`, `table ${shown(tableId)}`)
  used.add(id.toLowerCase())
}

function planColumn(row: MetadataRow, context: ColumnsContext): GristColumn {
  const id = text(row.colId)
  const place = `table ${shown(context.tableId)}`
  const isPosition = id === MANUAL_SORT
  const isData = context.isSummary || isPosition
  const isFormula = !isData && whole(row.isFormula) !== 0
  const formula = isData ? '' : text(row.formula)
  const computed = isComputed({ isFormula, formula })
  const typeName = isPosition ? 'ManualSortPos' : plannedType(row, context)
  const hasCells = context.stored.has(id)
  if (!hasCells && !computed) throw badFile(`column ${shown(id)} is missing`, place)
  return {
    id,
    ref: requireRef(row.id, 'column'),
    type: columnType(typeName),
    ...(hasCells && { from: id }),
    isComputed: computed,
    holdsErrors: formula !== '',
    fields: columnFields(row, context, { type: typeName, isFormula: Number(isFormula), formula }),
  }
}

function columnFields(row: MetadataRow, context: ColumnsContext, own: MetadataRow): MetadataRow {
  const id = requireRef(row.id, 'column')
  const { parentPos } = row
  return {
    id,
    parentId: context.tableRef,
    parentPos: typeof parentPos === 'number' && Number.isFinite(parentPos) ? parentPos : id,
    colId: text(row.colId),
    ...own,
    widgetOptions: text(row.widgetOptions),
    label: cutText(text(row.label), importLimits.labelChars),
    description: text(row.description),
    untieColIdFromLabel: whole(row.untieColIdFromLabel) === 0 ? 0 : 1,
    displayCol: context.isSummary ? 0 : whole(row.displayCol),
    visibleCol: whole(row.visibleCol),
    recalcWhen: context.isSummary ? 0 : whole(row.recalcWhen),
    recalcDeps: context.isSummary ? null : refsText(row.recalcDeps),
  }
}

/** The column that holds the order of the rows, for a table without one. */
export function positionColumn(tableRef: number, ref: number): GristColumn {
  const fields = {
    id: ref,
    parentId: tableRef,
    parentPos: 0,
    colId: MANUAL_SORT,
    type: 'ManualSortPos',
    label: MANUAL_SORT,
  }
  return {
    id: MANUAL_SORT,
    ref,
    type: columnType('ManualSortPos'),
    isComputed: false,
    holdsErrors: false,
    fields,
  }
}

/** The type of a column; one that no column of a document has is replaced, and noted. */
function plannedType(row: MetadataRow, context: ColumnsContext): string {
  const given = text(row.type)
  const type = knownType(given, context)
  if (type !== given && given !== 'DateTime')
    context.notes.add(
      `changed: type ${shown(given)} of column ${shown(text(row.colId))} of table ${shown(context.tableId)} to ${type}`,
    )
  return type
}

/** Types of Grist's own columns. */
const ownTypes: Readonly<Record<string, string>> = {
  Id: 'Int',
  ManualSortPos: 'Numeric',
  PositionNumber: 'Numeric',
}

function knownType(given: string, { tableIds, timezone }: ColumnsContext): string {
  const [name, argument = ''] = splitType(given)
  if (Object.hasOwn(ownTypes, name)) return ownTypes[name] ?? given
  switch (name) {
    case 'Ref':
      return tableIds.has(argument) ? given : 'Int'
    case 'RefList':
      return tableIds.has(argument) ? given : 'Any'
    case 'DateTime':
      return argument !== '' && isKnown(given) ? given : `DateTime:${timezone}`
    default:
      return isKnown(given) ? given : 'Any'
  }
}

function splitType(type: string): [string, string?] {
  const colon = type.indexOf(':')
  return colon < 0 ? [type] : [type.slice(0, colon), type.slice(colon + 1)]
}

function isKnown(type: string): boolean {
  try {
    return columnType(type) !== undefined
  } catch {
    return false
  }
}

/** A list of refs as JSON text, or null. */
function refsText(value: unknown): string | null {
  const list = Array.isArray(value) ? value.slice(1) : readRefs(text(value))
  const refs = list.filter((ref) => whole(ref) > 0)
  return refs.length === 0 ? null : JSON.stringify(refs)
}

/** The refs of a list in JSON; none for anything else. */
export function readRefs(json: string | null): number[] {
  try {
    const list = JSON.parse(json ?? '') as unknown
    return Array.isArray(list) ? list.map(whole).filter((ref) => ref > 0) : []
  } catch {
    return []
  }
}
