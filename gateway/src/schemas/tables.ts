import type { Table as WireTable } from '@sheaf/protos/sheaf/document_data/v1/tables'
import { z } from 'zod'
import { column, columnBounds, newColumn, toColumn } from './columns'
import { listOf } from './list'
import { text } from './text'

/** Tables in one request. */
const tableBounds = { min: 1, max: 200 }

/** Tables to make. */
export const newTables = z.object({
  tables: listOf(
    z
      .object({
        id: text.nullish().meta({ description: 'Wished id; absent takes the next free one' }),
        columns: listOf(newColumn, columnBounds),
      })
      .meta({ id: 'NewTable' }),
    tableBounds,
  ),
})

/** Tables that were made. */
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
    columns: z.array(column).optional().meta({ description: 'With `expand=column` only' }),
  })
  .meta({ id: 'Table' })

/** Tables of a document. */
export const tables = z.object({ tables: z.array(table) })

/** A table as REST shows it. */
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
