import { z } from 'zod'

const MAX_LIMIT = 1000

/** Position in the log. */
export const sinceText = z
  .string()
  .regex(/^\d{1,15}$/, 'is not the seq of a change')
  .transform(Number)

/** Which changes, in a query. */
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

const tableFacts = { tableId: z.string(), tableRef: z.int() }

const rowsOperation = z
  .object({
    kind: z.enum(['addRows', 'updateRows', 'removeRows']),
    ...tableFacts,
    rowIds: z.array(z.int()),
    columns: z.array(
      z.object({
        colId: z.string(),
        colRef: z.int().meta({ description: '0 for `manualSort`' }),
        old: z
          .array(z.unknown())
          .optional()
          .meta({ description: 'Values before, in the order of `rowIds`; for editors and owners' }),
        new: z
          .array(z.unknown())
          .optional()
          .meta({ description: 'Values after, in the order of `rowIds`; absent for removed rows' }),
      }),
    ),
  })
  .meta({ id: 'RowsOperation' })

const schemaOperation = z
  .object({
    kind: z.enum([
      'addTable',
      'updateTable',
      'removeTable',
      'addColumn',
      'updateColumn',
      'removeColumn',
    ]),
    ...tableFacts,
    colId: z.string().optional(),
    colRef: z.int().optional(),
    old: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'For editors and owners' }),
    new: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'SchemaOperation' })

/** A part of the log. */
export const changesList = z
  .object({
    changes: z.array(
      z
        .object({
          seq: z.int().meta({ description: 'Position in the log, from 1 without gaps' }),
          time: z.iso.datetime(),
          userId: z.int().meta({ description: 'Who made it; 0 for Sheaf itself' }),
          cause: z.enum(['api', 'import', 'formula', 'undo']),
          operations: z
            .array(z.union([rowsOperation, schemaOperation]))
            .meta({ description: 'What was done, in order' }),
        })
        .meta({ id: 'Change' }),
    ),
    latest: z.int().meta({ description: '`seq` of the latest change of the document' }),
  })
  .meta({ id: 'Changes' })
