import { z } from 'zod'
import { listOf } from './list'
import { choice, flag } from './parameters'

const MAX_LIMIT = Number.MAX_SAFE_INTEGER

/** Largest offset of a read. */
const MAX_OFFSET = 10_000_000

/** Cursors are shorter; a longer text is not one. */
const MAX_CURSOR = 8_192

const limitText = z
  .string()
  .regex(/^\d{0,15}$/, 'cannot be understood as a number of rows')
  .transform(Number)

const offsetText = z
  .string()
  .refine(
    (text) => /^\d{1,15}$/.test(text) && Number(text) <= MAX_OFFSET,
    `must be a number of rows, from 0 to ${MAX_OFFSET}`,
  )
  .transform(Number)

const OFFSET = `Rows to skip before the first one returned, of those that pass the filter, in their order; with \`cursor\` of those after it. At most ${MAX_OFFSET}; in the order of row ids it costs least`

const FILTER =
  'Column ids to lists of allowed values, or to operators: eq, ne, in, notIn, lt, lte, gt, gte, between, contains, startsWith, endsWith, isNull, has, ignoreCase; `or` to a list of such objects'

/** True for a list of values or an object of operators; document-data validates its contents. */
function isWanted(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Sort keys; the first few decide. */
const sortBounds = { min: 0, max: 100 }
/** The maximum number of columns in a table. */
const fieldsBounds = { min: 0, max: 2_000 }

/** Cells by column id; their encoding depends on the column type. */
const fields = z.record(z.string(), z.unknown()).meta({ description: 'Values by column id' })
const rowId = z.int().meta({ description: 'Row id' })

/** Selection and order of rows, in a query. */
export const recordsQuery = z.object({
  filter: z
    .string()
    .optional()
    .meta({
      description: `${FILTER}, as JSON`,
      example: '{"country": ["FR", "PT"]}',
    }),
  sort: z.string().optional().meta({
    description:
      'Column ids separated by commas, each with a `-` before it for descending order, and after it `:` with flags separated by `;`: naturalSort, emptyLast, orderByChoice',
    example: 'country,-population',
  }),
  limit: limitText.optional().meta({
    type: 'integer',
    description: 'At most this many rows; 0 for all',
    example: 100,
  }),
  offset: offsetText.optional().meta({ type: 'integer', description: OFFSET, example: 500 }),
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
  cellFormat: choice(
    ['normal', 'typed'],
    'How cells are written: `typed` with codes for their types',
  ),
})

/** The same for columnar reads. */
export const dataQuery = recordsQuery.omit({
  offset: true,
  hidden: true,
  fields: true,
  cursor: true,
  count: true,
})

/** The same in headers; the query takes precedence. */
export const recordsHeaders = z.object({
  'X-Sort': z.string().optional().meta({ description: 'As the parameter `sort`, which wins' }),
  'X-Limit': limitText
    .optional()
    .meta({ type: 'integer', description: 'As the parameter `limit`, which wins' }),
})

/** Selection and order of rows, in a body. */
export const recordsSelection = z.object({
  filter: z
    .looseObject({})
    .refine((filter) => Object.values(filter).every(isWanted), 'has a value that is no array')
    .optional()
    .meta({ description: FILTER }),
  sort: listOf(z.string(), sortBounds).optional(),
  limit: z.int().min(0).max(MAX_LIMIT).optional(),
  offset: z.int().min(0).max(MAX_OFFSET).optional().meta({ description: OFFSET }),
  hidden: z.boolean().optional(),
  fields: listOf(z.string(), fieldsBounds).optional(),
  cursor: z.string().max(MAX_CURSOR, 'is too long').optional(),
  count: z.boolean().optional(),
  cellFormat: z.enum(['normal', 'typed']).optional(),
})

/** Whether texts are parsed on input. */
export const writeQuery = z.object({
  noparse: flag('Keep texts as they are, instead of parsing them by column type'),
})

/** The same, with the format of the rows to add. */
export const addQuery = writeQuery.extend({
  flat: flag('The body is a list of the fields alone'),
})

/** Options for matching and missing rows. */
export const addOrUpdateQuery = writeQuery.extend({
  onmany: choice(['first', 'none', 'all'], 'Which rows to update when several match'),
  noadd: flag('Add no records'),
  noupdate: flag('Update no records'),
  allow_empty_require: flag('Permit an empty `require`, which every record matches'),
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

/** Rows to find, with the cells to write. */
export const requiredRecords = z.object({
  records: z
    .array(
      z.object({
        require: fields.meta({ description: 'Values that a record must have' }),
        fields: fields.optional(),
        expect: z.record(z.string(), z.unknown()).optional().meta({
          description: 'Values by column id; 412 unless the record that is found holds them',
        }),
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

/** Lists of cells by column id, `id` included. */
export const dataColumns = z
  .record(z.string(), z.array(z.unknown()))
  .meta({ description: 'Lists of values by column id, one value for each row' })
