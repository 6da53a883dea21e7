import { AppError } from '@sheaf/kit/errors'
import type { Column, Table } from '../store/schema/schema'
import { shown } from './import-errors'

/** A column that cells can be appended to. */
export interface TargetColumn {
  readonly id: string
  readonly label: string
  /** Whether it takes the text of cells as it is in the file. */
  readonly isText: boolean
}

/** The table that the rows of a file are appended to. */
export interface AppendTarget {
  readonly tableId: string
  readonly columns: readonly TargetColumn[]
  /** Table of the file; may be absent if there is only one. */
  readonly source?: string
  /** Ids of columns of the table, by id of the column of the file; empty for a column that is left out. */
  readonly mapping: ReadonlyMap<string, string>
  /** What happens with columns of the file that the table does not have. */
  readonly unknown: 'refuse' | 'ignore' | 'add'
}

/** Types whose cells are read from the values of a file, rather than from its text. */
const VALUES = new Set(['Numeric', 'Int', 'Bool', 'Date', 'DateTime', 'Any'])

/** The columns of a table that cells can be appended to. */
export function targetColumns({ columns }: Table): TargetColumn[] {
  return columns
    .filter(isWritable)
    .map(({ id, label, type }) => ({ id, label, isText: !VALUES.has(type.name) }))
}

const isWritable = ({ hidden, isFormula, formula }: Column) =>
  !hidden && !(isFormula && formula !== '')

/** The table of a file whose rows are appended. Throws `invalid` when it is not known which. */
export function findSource(tables: readonly Table[], { source }: AppendTarget): Table {
  const found =
    source === undefined && tables.length === 1
      ? tables[0]
      : tables.find(({ tableId }) => tableId === source)
  if (found) return found
  const names = tables.slice(0, 10).map(({ tableId }) => tableId)
  throw badTarget('source', `must be one of the tables of the file: ${names.join(', ')}`)
}

/**
 * The column of the table for each column of a file, by id: the one that the mapping names, otherwise the one with the
 * same id or label. Columns without one are absent. Throws `invalid` for a mapping that names an unknown column.
 */
export function matchColumns(
  columns: readonly Pick<Column, 'id' | 'label' | 'hidden'>[],
  { columns: targets, mapping }: AppendTarget,
): Map<string, TargetColumn> {
  const own = columns.filter(({ hidden }) => !hidden)
  const matched = new Map<string, TargetColumn>()
  const used = new Set<string>()
  const take = (id: string, target: TargetColumn) => {
    if (used.has(target.id)) throw badTarget('columns', `column ${shown(target.id)} is named twice`)
    used.add(target.id)
    matched.set(id, target)
  }
  for (const [id, to] of mapping) {
    if (!own.some((column) => column.id === id))
      throw badTarget('columns', `the file has no column ${shown(id)}`)
    const target = targets.find((column) => column.id === to)
    if (to !== '' && !target)
      throw badTarget('columns', `the table has no column ${shown(to)} that can be written`)
    if (target) take(id, target)
  }
  for (const { id, label } of own) {
    if (mapping.has(id)) continue
    const free = targets.filter((target) => !used.has(target.id))
    const target = findNamed(free, { id, label })
    if (target) take(id, target)
  }
  return matched
}

/** Throws `invalid` when a column of a file has no column of the table because another column of the file goes there. */
export function requireDistinct(
  unmatched: readonly Pick<Column, 'id' | 'label'>[],
  matched: ReadonlyMap<string, TargetColumn>,
  { columns: targets }: AppendTarget,
): void {
  for (const { id, label } of unmatched) {
    const wanted = findNamed(targets, { id, label })
    const [other] = [...matched].find(([, target]) => target === wanted) ?? []
    if (!wanted || other === undefined) continue
    throw badTarget(
      'columns',
      `${shown(other)} and ${shown(id)} of the file both go to column ${shown(wanted.id)}: map one of them to another column, or to null`,
    )
  }
}

/** The column with the same id as a column of a file, or else the same label. */
function findNamed(targets: readonly TargetColumn[], { id, label }: Pick<Column, 'id' | 'label'>) {
  return (
    targets.find((target) => fold(target.id) === fold(id)) ??
    targets.find((target) => label !== '' && fold(target.label) === fold(label))
  )
}

const fold = (text: string) => text.trim().toLowerCase()

/** The error for a target that does not match the file or the table. */
export function badTarget(name: string, problem: string): AppError {
  const field = `target.${name}`
  return new AppError('invalid', 'BAD_FIELD', `${field}: ${problem}`, { field })
}
