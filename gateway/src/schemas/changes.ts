import { z } from 'zod'
import { limitUpTo } from './parameters'
import { sessionName } from './presence'

const MAX_LIMIT = 1000

/** Position in the log, as text. */
export const sinceText = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a non-negative integer')
  .transform(Number)

/** Selection of changes in a query. */
export const changesQuery = z.object({
  since: sinceText.default(0).meta({
    type: 'integer',
    description: 'Return changes with a greater `seq` only; 0 (default) for all',
    example: 41,
  }),
  limit: limitUpTo(MAX_LIMIT, {
    byDefault: MAX_LIMIT,
    description:
      'Maximum number of changes. A response can have fewer changes although more exist. Ignored for server-sent events.',
  }),
  session: sessionName.optional().meta({
    description:
      'Makes the caller present in the document as long as the stream is open, and adds an event `presence` to it for each change of who is. A name that the client chooses at random, 8 to 64 letters, digits, dashes or underscores. Server-sent events only; ignored for anonymous requests.',
    example: 'k3VtX9wQ',
  }),
})

const values = z
  .array(z.unknown())
  .meta({ description: 'One value per row id, in the order of `rowIds`' })

const rowOperation = z.object({
  action: z.enum(['addRows', 'updateRows', 'removeRows']).describe('Kind of the operation'),
  tableId: z.string().meta({
    description:
      'Id of the table before the change; below editor its id now, empty if it was removed',
  }),
  tableRef: z.int().meta({ description: 'Row id of the table in `_grist_Tables`; 0 for metadata' }),
  rowIds: z.array(z.int()).describe('Ids of the rows'),
  columns: z
    .record(
      z.string(),
      z.object({
        colRef: z.int().describe('Row id of the column in `_grist_Tables_column`'),
        old: values.optional(),
        new: values.optional(),
      }),
    )
    .meta({
      description:
        'Old and new values by column id; below editor only `new`, with the values of now',
    }),
})

const schemaOperation = z.object({
  action: z
    .enum(['addTable', 'updateTable', 'removeTable', 'addColumn', 'updateColumn', 'removeColumn'])
    .describe('Kind of the operation'),
  tableId: z.string().describe('Id of the table before the change; below editor its id now'),
  tableRef: z.int().describe('Row id of the table in `_grist_Tables`'),
  colId: z.string().optional().describe('Id of the column; absent for operations on tables'),
  colRef: z
    .int()
    .optional()
    .describe('Row id of the column in `_grist_Tables_column`; absent for operations on tables'),
  old: z.record(z.string(), z.unknown()).optional().describe('Fields before the change'),
  new: z.record(z.string(), z.unknown()).optional().describe('Fields after the change'),
  cells: z
    .object({ rowIds: z.array(z.int()).describe('Ids of the rows'), old: values })
    .optional()
    .meta({ description: 'Values of a removed column; in the history only' }),
})

/** A step of a change, as serialized by `writeOperation`. */
export const operation = z.union([rowOperation, schemaOperation])

/** A change, as serialized by `changeJson`. */
export const change = z.object({
  seq: z.int().meta({ description: 'Position in the log of the document, from 1 without gaps' }),
  time: z.iso.datetime().describe('Time of the commit'),
  userId: z.int().nullable().meta({ description: 'Author of the change; null for the system' }),
  keyId: z.int().nullable().optional().meta({
    description: 'Id of the API key that made the change; null without one. Absent below editor.',
  }),
  cause: z
    .enum(['api', 'import', 'formula', 'undo', 'form', 'unknown'])
    .describe('What requested the change'),
  truncated: z
    .literal(true)
    .optional()
    .meta({ description: 'Present if operations are omitted because of their size' }),
  operations: z.array(operation).meta({
    description:
      'Operations of the change, in order; below editor without those on what no longer exists',
  }),
})

/** A range of the log. */
export const changesList = z
  .object({
    changes: z
      .array(change.meta({ id: 'Change', description: 'One commit of a document' }))
      .describe('Changes in log order'),
    latest: z.int().meta({ description: '`seq` of the latest change of the document' }),
  })
  .meta({ id: 'Changes', description: 'Range of the change log' })
