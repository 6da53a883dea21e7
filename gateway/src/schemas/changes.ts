import { z } from 'zod'

const values = z.array(z.unknown()).meta({ description: 'One for each of rowIds, in their order' })

const rowOperation = z.object({
  action: z.enum(['addRows', 'updateRows', 'removeRows']),
  tableId: z.string().meta({ description: 'Id of the table when it was changed' }),
  tableRef: z.int().meta({ description: 'Row of the table in _grist_Tables; 0 for metadata' }),
  rowIds: z.array(z.int()),
  columns: z
    .record(
      z.string(),
      z.object({
        colRef: z.int(),
        old: values.optional(),
        new: values.optional(),
      }),
    )
    .meta({ description: 'By column id: what the cells were before, and what they became' }),
})

const schemaOperation = z.object({
  action: z.enum([
    'addTable',
    'updateTable',
    'removeTable',
    'addColumn',
    'updateColumn',
    'removeColumn',
  ]),
  tableId: z.string(),
  tableRef: z.int(),
  colId: z.string().optional(),
  colRef: z.int().optional(),
  old: z.record(z.string(), z.unknown()).optional(),
  new: z.record(z.string(), z.unknown()).optional(),
  cells: z
    .object({ rowIds: z.array(z.int()), old: values })
    .optional()
    .meta({ description: 'In histories, what a removed column held' }),
})

/** A change as `changeJson` writes it. */
export const change = z.object({
  seq: z.int().meta({ description: 'Position in the log of the document, from 1 without gaps' }),
  time: z.iso.datetime(),
  userId: z.int().nullable().meta({ description: 'Who made it; null for Sheaf itself' }),
  cause: z.enum(['api', 'import', 'formula', 'undo', 'unknown']),
  truncated: z
    .literal(true)
    .optional()
    .meta({ description: 'The operations, or some of them, are left out because of their size' }),
  operations: z.array(z.union([rowOperation, schemaOperation])),
})
