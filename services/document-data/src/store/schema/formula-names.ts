import type { FormulaSchema, ValueType } from '@sheaf/formula-text/value-type'
import type { Column, Schema } from './schema'

/** The tables and columns that formulas of a document can name. */
export function formulaNames(schema: Schema): FormulaSchema {
  const tables = new Map(schema.tables.map((table) => [table.tableId, table]))
  return {
    hasTable: (tableId) => tables.has(tableId),
    columnType: (tableId, colId) => valueTypeOf(tables.get(tableId)?.byId.get(colId)),
  }
}

function valueTypeOf(column: Column | undefined): ValueType | undefined {
  const { name, argument } = column?.type ?? {}
  if (argument === undefined || (name !== 'Ref' && name !== 'RefList')) return undefined
  return { kind: name === 'Ref' ? 'record' : 'records', tableId: argument }
}
