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
        columns: listOf(newColumn, columnBounds).describe('Columns of the table, in order'),
      })
      .meta({ id: 'NewTable', description: 'Table to add' }),
    tableBounds,
  ).describe('Tables to add'),
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
    onDemand: z.boolean().optional().describe('Stored only'),
    tableRef: fixedRef,
    primaryViewId: fixedRef,
    summarySourceTable: fixedRef,
    rawViewSectionRef: fixedRef,
    recordCardViewSectionRef: fixedRef,
  })
  .meta({
    id: 'TableChangeFields',
    description: 'Fields of a table to change; absent fields keep their value',
  })

/** Changes of a table by its id. */
const tableUpdate = z
  .object({ id: text.describe('Id of the table'), fields: tableChangeFields })
  .meta({ id: 'TableUpdate', description: 'Changes of a table' })

/** Changes of tables. */
export const tableUpdates = z.object({
  tables: listOf(tableUpdate, tableBounds).describe('Tables to change'),
})

/** Tables that were created. */
export const tableIds = z.object({
  tables: z
    .array(z.object({ id: z.string().describe('Id of the table') }))
    .describe('Added tables, in request order'),
})

/** A table of a document. */
export const table = z
  .object({
    id: z.string().describe('Id of the table'),
    fields: z
      .object({
        tableRef: z.int().describe('Row id of the table in `_grist_Tables`'),
        primaryViewId: z.int().describe('Always 0: Sheaf has no pages'),
        summarySourceTable: z.int().describe('Ref of the summarized table; 0 for none'),
        onDemand: z.boolean().describe('Stored only'),
        rawViewSectionRef: z.int().describe('Always 0: Sheaf has no pages'),
        recordCardViewSectionRef: z.int().describe('Always 0: Sheaf has no pages'),
      })
      .describe('Metadata of the table'),
    columns: z.array(column).optional().meta({ description: 'Present with `expand=column`' }),
  })
  .meta({ id: 'Table', description: 'Table of a document' })

/** Tables of a document. */
export const tables = z.object({ tables: z.array(table).describe('Tables of the document') })

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
