import { z } from 'zod'

const MAX_LIMIT = 1000

/** Position in the log. */
export const sinceText = z
  .string()
  .regex(/^\d{1,15}$/, 'is not the seq of a change')
  .transform(Number)

/** Selection of changes in a query. */
export const changesQuery = z.object({
  since: sinceText.default(0).meta({
    type: 'integer',
    description: 'Only changes with a greater `seq`; 0 for all',
    example: 41,
  }),
  limit: z
    .string()
    .regex(/^\d{1,4}$/, `should be from 1 to ${MAX_LIMIT}`)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= MAX_LIMIT, `should be from 1 to ${MAX_LIMIT}`)
    .default(MAX_LIMIT)
    .meta({
      type: 'integer',
      description: `At most so many changes, up to ${MAX_LIMIT}; an answer can have fewer though there are more. Not for server-sent events`,
      example: 100,
    }),
})

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
  operations: z.array(z.union([rowOperation, schemaOperation])).meta({
    description: 'What was done, in order; what was before is for editors and owners',
  }),
})

/** A part of the log. */
export const changesList = z
  .object({
    changes: z.array(change.meta({ id: 'Change' })),
    latest: z.int().meta({ description: '`seq` of the latest change of the document' }),
  })
  .meta({ id: 'Changes' })
