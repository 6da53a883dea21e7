import type { Schema } from '../store/schema/schema'
import type { Dependencies } from './dependencies/dependencies'
import { columnsOf, isTrigger, type SchemaColumns } from './dependencies/formula-columns'
import type { FormulaStates } from './formula-states'
import {
  readRows,
  type DoneMessage,
  type LookupMessage,
  type ReadMessage,
} from './exchange/messages'
import { RelationsBuilder, type Lookup, type Relations } from './dependencies/relations'

/** What learning needs of the transaction. */
export interface LearningParts {
  readonly schema: Schema
  readonly states: FormulaStates
  readonly dependencies: Dependencies
}

/** Stores what an exchange tells of the formulas that it computed. Returns the relations that have grown. */
export function learn(
  done: DoneMessage,
  { schema, states, dependencies }: LearningParts,
): ReadonlyMap<number, Relations> {
  const { byRef } = columnsOf(schema)
  const builders = new Map<number, RelationsBuilder>()
  const builderOf = (ref: number) => {
    const known = builders.get(ref)
    if (known) return known
    const made = new RelationsBuilder(dependencies.relationsOf(ref))
    builders.set(ref, made)
    return made
  }
  // The results of trigger formulas are data, which depend on nothing.
  const isLearned = (ref: number) => {
    const of = byRef.get(ref)
    return of !== undefined && !isTrigger(of)
  }
  for (const { column, reads } of done.relations)
    if (isLearned(column)) for (const read of reads) addRead(builderOf(column), read, schema)
  for (const { column, lookup, rows, texts, keys } of done.lookups) {
    const found = lookupOf(lookup, schema)
    if (!found || !isLearned(column)) continue
    const rowIds = readRows(rows, keys.length) ?? []
    const keysOfRows = keys.map((places) => places.map((place) => texts[place] ?? ''))
    states.setUses(column, builderOf(column).lookup(found), rowIds, keysOfRows)
  }
  learnTimes(done, byRef, { states, isLearned })
  const grown = new Map<number, Relations>()
  for (const [ref, builder] of builders)
    if (builder.hasGrown) {
      grown.set(ref, builder.relations)
      states.setRelations(ref, builder.relations)
    }
  return grown
}

/** Stores which of the computed columns depend on the time. */
function learnTimes(
  { volatile, timings }: DoneMessage,
  byRef: SchemaColumns['byRef'],
  { states, isLearned }: { states: FormulaStates; isLearned: (ref: number) => boolean },
): void {
  const times = new Set(volatile)
  for (const { column } of timings)
    if (isLearned(column) && (times.has(column) || byRef.get(column)?.column.isVolatile))
      states.setVolatile(column, times.has(column))
}

function addRead(builder: RelationsBuilder, read: ReadMessage, schema: Schema): void {
  const { from, path = [], column: columnRef, table } = read
  const tableRef = table === undefined ? undefined : schema.find(table)?.ref
  if (from === 'row' || from === 'any') return builder.read({ from, path, columnRef, tableRef })
  const lookup = lookupOf(from, schema)
  if (!lookup) return
  const position = builder.lookup(lookup)
  // Which rows are found depends on their keys alone, which are known for each row.
  if (columnRef !== undefined) builder.read({ from: position, path, columnRef })
}

function lookupOf({ table, keys, contains }: LookupMessage, schema: Schema): Lookup | undefined {
  const tableRef = schema.find(table)?.ref
  return tableRef === undefined ? undefined : { tableRef, keys, contains }
}
