import { z } from 'zod'
import { listOf } from './list'
import { flag } from './parameters'

const MAX_LIMIT = Number.MAX_SAFE_INTEGER

/** Cursors are shorter; the rest would be none. */
const MAX_CURSOR = 8_192

const limitText = z
  .string()
  .regex(/^\d{0,15}$/, 'cannot be understood as a number of rows')
  .transform(Number)

const FILTER =
  'Column ids to lists of allowed values, or to operators: eq, ne, in, notIn, lt, lte, gt, gte, between, contains, startsWith, endsWith, isNull, has, ignoreCase; `or` to a list of such objects'

/** A list of values, or an object of operators; document-data looks at what is in it. */
function isWanted(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Keys to sort by; the first few decide. */
const sortBounds = { min: 0, max: 100 }
/** As many as a table can have columns. */
const fieldsBounds = { min: 0, max: 2_000 }

/** Cells by column id; see the encoding of each column type. */
const fields = z.record(z.string(), z.unknown()).meta({ description: 'Values by column id' })
const rowId = z.int().meta({ description: 'Row id' })

/** Which rows, in which order, in a query. */
export const recordsQuery = z.object({
  filter: z
    .string()
    .optional()
    .meta({
      description: `${FILTER}, as JSON`,
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
  fields: z.string().optional().meta({
    description: 'Ids of the columns to show, separated by commas; all by default',
    example: 'country,population',
  }),
  cursor: z.string().max(MAX_CURSOR, 'is too long').optional().meta({
    description:
      'Asks for a page of `limit` rows: empty for the first one, then the `nextCursor` of the page before, with the same filter and sort',
  }),
  count: flag('Count the rows that pass the filter, whatever the limit, as `totalCount`'),
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
    .refine((filter) => Object.values(filter).every(isWanted), 'has a value that is no array')
    .optional()
    .meta({ description: FILTER }),
  sort: listOf(z.string(), sortBounds).optional(),
  limit: z.int().min(0).max(MAX_LIMIT).optional(),
  hidden: z.boolean().optional(),
  fields: listOf(z.string(), fieldsBounds).optional(),
  cursor: z.string().max(MAX_CURSOR, 'is too long').optional(),
  count: z.boolean().optional(),
})

/** Whether texts are parsed on their way in. */
export const writeQuery = z.object({
  noparse: flag('Keep texts as they are, instead of parsing them by column type'),
})

/** Rows of a table. */
export const records = z
  .object({
    records: z.array(z.object({ id: rowId, fields })),
    nextCursor: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'With `cursor`: that of the next page, null on the last one' }),
    totalCount: z
      .int()
      .optional()
      .meta({ description: 'With `count`: the rows that pass the filter' }),
  })
  .meta({ id: 'Records' })

/** Rows to add. */
export const newRecords = z.object({
  records: z.array(z.object({ fields: fields.optional() })).min(1),
})

/** Rows that were added. */
export const recordIds = z.object({ records: z.array(z.object({ id: rowId })) })

/** Cells to change. */
export const recordChanges = z.object({
  records: z
    .array(
      z.object({
        id: rowId,
        fields,
        expect: z.record(z.string(), z.unknown()).optional().meta({
          description: 'Values by column id; 412 unless the record holds them',
        }),
      }),
    )
    .min(1),
})

/** Rows to delete. */
export const rowIds = z.array(rowId)
