import { z } from 'zod'
import { listOf } from './list'
import { choice, flag } from './parameters'

const MAX_LIMIT = Number.MAX_SAFE_INTEGER

const limitText = z
  .string()
  .regex(/^\d{0,15}$/, 'cannot be understood as a number of rows')
  .transform(Number)

/** Keys to sort by; the first few decide. */
const sortBounds = { min: 0, max: 100 }

/** Cells by column id; see the encoding of each column type. */
const fields = z.record(z.string(), z.unknown()).meta({ description: 'Values by column id' })
const rowId = z.int().meta({ description: 'Row id' })

/** Which rows, in which order, in a query. */
export const recordsQuery = z.object({
  filter: z.string().optional().meta({
    description: 'JSON object of column ids to lists of allowed values',
    example: '{"country": ["FR", "PT"]}',
  }),
  sort: z.string().optional().meta({
    description: 'Column ids separated by commas, each with a `-` before it for descending order',
    example: 'country,-population',
  }),
  limit: limitText.optional().meta({
    type: 'integer',
    description: 'At most this many rows; 0 for all',
    example: 100,
  }),
  hidden: flag('Include hidden columns'),
  cellFormat: choice(
    ['normal', 'typed'],
    'How cells are written: `typed` with codes for their types',
  ),
})

/** The same in headers, where the query wins. */
export const recordsHeaders = z.object({
  'X-Sort': z.string().optional().meta({ description: 'As the parameter `sort`, which wins' }),
  'X-Limit': limitText
    .optional()
    .meta({ type: 'integer', description: 'As the parameter `limit`, which wins' }),
})

/** Which rows, in which order, in a body. */
export const recordsSelection = z.object({
  filter: z
    .looseObject({})
    .refine((filter) => Object.values(filter).every(Array.isArray), 'has a value that is no array')
    .optional()
    .meta({ description: 'Column ids to lists of allowed values' }),
  sort: listOf(z.string(), sortBounds).optional(),
  limit: z.int().min(0).max(MAX_LIMIT).optional(),
  hidden: z.boolean().optional(),
  cellFormat: z.enum(['normal', 'typed']).optional(),
})

/** Whether texts are parsed on their way in. */
export const writeQuery = z.object({
  noparse: flag('Keep texts as they are, instead of parsing them by column type'),
})

/** The same, and what form the rows to add have. */
export const addQuery = writeQuery.extend({
  flat: flag('The body is a list of the fields alone'),
})

/** What to do with rows that are found, and those that are not. */
export const addOrUpdateQuery = writeQuery.extend({
  onmany: choice(['first', 'none', 'all'], 'Which rows to update when several match'),
  noadd: flag('Add no records'),
  noupdate: flag('Update no records'),
  allow_empty_require: flag('Permit an empty `require`, which every record matches'),
})

/** Rows of a table. */
export const records = z
  .object({ records: z.array(z.object({ id: rowId, fields })) })
  .meta({ id: 'Records' })

/** Rows to add. */
export const newRecords = z.object({
  records: z.array(z.object({ fields: fields.optional() })).min(1),
})

/** Rows that were added. */
export const recordIds = z.object({ records: z.array(z.object({ id: rowId })) })

/** Cells to change. */
export const recordChanges = z.object({
  records: z.array(z.object({ id: rowId, fields })).min(1),
})

/** Rows to look for, and cells to write. */
export const requiredRecords = z.object({
  records: z
    .array(
      z.object({
        require: fields.meta({ description: 'Values that a record must have' }),
        fields: fields.optional(),
      }),
    )
    .min(1),
})

/** Rows that were added or updated. */
export const addedOrUpdated = z.object({
  recordIds: z.array(z.array(rowId)).meta({
    description: 'Rows that each record of the request was written to, in its order',
  }),
  addRecordIds: z.array(rowId),
  updateRecordIds: z.array(z.array(rowId)),
})

/** Rows to delete. */
export const rowIds = z.array(rowId)

/** Lists of cells by column id, `id` among them. */
export const dataColumns = z
  .record(z.string(), z.array(z.unknown()))
  .meta({ description: 'Lists of values by column id, one value for each row' })
