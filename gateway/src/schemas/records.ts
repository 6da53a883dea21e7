import { z } from 'zod'
import { listOf } from './list'
import { flag } from './parameters'

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
})

/** Whether texts are parsed on their way in. */
export const writeQuery = z.object({
  noparse: flag('Keep texts as they are, instead of parsing them by column type'),
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

/** Rows to delete. */
export const rowIds = z.array(rowId)
