import type {
  Table as WireTable,
  TableUpdate as WireUpdate,
} from '@sheaf/protos/sheaf/document_data/v1/tables'
import { z } from 'zod'
import { column, columnBounds, newColumn, requireKnown, toColumn } from './columns'
import { listOf } from './list'
import { text } from './text'

/** Tables in one request. */
const tableBounds = { min: 1, max: 200 }

/** Tables to add. */
export const newTables = z.object({
  tables: listOf(
    z
      .object({
        id: text.nullish().meta({
          description:
            'Requested id, adjusted to a valid and unused one; absent for `Table1`, `Table2`, …',
        }),
        columns: listOf(newColumn, columnBounds),
      })
      .meta({ id: 'NewTable' }),
    tableBounds,
  ),
})

const fixedRef = z
  .int()
  .min(0)
  .optional()
  .meta({ description: 'Read-only; must be the current value if given' })

/** Fields of a table that can be changed. Read-only refs are accepted with their current value. */
const tableChangeFields = z
  .looseObject({
    tableId: text.optional().meta({ description: 'New id, adjusted to a valid and unused one' }),
    onDemand: z.boolean().optional(),
    tableRef: fixedRef,
    primaryViewId: fixedRef,
    summarySourceTable: fixedRef,
    rawViewSectionRef: fixedRef,
    recordCardViewSectionRef: fixedRef,
  })
  .meta({ id: 'TableChangeFields' })

/** Changes of a table by its id. */
const tableUpdate = z.object({ id: text, fields: tableChangeFields }).meta({ id: 'TableUpdate' })

/** Changes of tables. */
export const tableUpdates = z.object({ tables: listOf(tableUpdate, tableBounds) })

/** Tables that were created. */
export const tableIds = z.object({ tables: z.array(z.object({ id: z.string() })) })

/** A table of a document. */
export const table = z
  .object({
    id: z.string(),
    fields: z.object({
      tableRef: z.int(),
      primaryViewId: z.int(),
      summarySourceTable: z.int(),
      onDemand: z.boolean(),
      rawViewSectionRef: z.int(),
      recordCardViewSectionRef: z.int(),
    }),
    columns: z.array(column).optional().meta({ description: 'Present with `expand=column`' }),
  })
  .meta({ id: 'Table' })

/** Tables of a document. */
export const tables = z.object({ tables: z.array(table) })

/** Converts a change of a table for document-data. Throws `invalid` for an unknown field. */
export function toWireTableUpdate({ id, fields }: z.output<typeof tableUpdate>): WireUpdate {
  requireKnown(fields, tableChangeFields.shape)
  const { tableId, onDemand, tableRef, primaryViewId, summarySourceTable } = fields
  const { rawViewSectionRef, recordCardViewSectionRef } = fields
  return {
    id,
    tableId,
    onDemand,
    tableRef,
    primaryViewId,
    summarySourceTable,
    rawViewSectionRef,
    recordCardViewSectionRef,
  }
}

/** Converts a table to its JSON. */
export function toTable(wire: WireTable, withColumns: boolean): z.output<typeof table> {
  return {
    id: wire.id,
    fields: {
      tableRef: wire.tableRef,
      primaryViewId: wire.primaryViewId,
      summarySourceTable: wire.summarySourceTable,
      onDemand: wire.onDemand,
      rawViewSectionRef: wire.rawViewSectionRef,
      recordCardViewSectionRef: wire.recordCardViewSectionRef,
    },
    ...(withColumns && { columns: wire.columns.map(toColumn) }),
  }
}
