import { z } from 'zod'
import { listOf } from './list'
import { choice, flag } from './parameters'

const MAX_LIMIT = Number.MAX_SAFE_INTEGER

/** Largest `offset`. */
const MAX_OFFSET = 10_000_000

/** Longer than any cursor that Sheaf issues. */
const MAX_CURSOR = 8_192

const limitText = z
  .string()
  .regex(/^\d{0,15}$/, 'cannot be understood as a number of rows')
  .transform(Number)

const offsetText = z
  .string()
  .refine(
    (text) => /^\d{1,15}$/.test(text) && Number(text) <= MAX_OFFSET,
    `must be an integer from 0 to ${MAX_OFFSET}`,
  )
  .transform(Number)

const OFFSET = `Number of matching records to skip, counted from the cursor if one is given; 0 to ${MAX_OFFSET}. Skipping is fast in row id order only.`

const FILTER =
  'Object that maps each column id to a list of allowed values or to an object of operators: `eq`, `ne`, `in`, `notIn`, `lt`, `lte`, `gt`, `gte`, `between`, `contains`, `notContains`, `startsWith`, `endsWith`, `isNull`, `has`, `hasAny`, `hasNone`, `ignoreCase`. The keys `or` and `and` take lists of such objects, of which a record must match one, or all.'

/** A list of values, or an object of operators; document-data validates its contents. */
function isWanted(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Sort keys in one request. */
const sortBounds = { min: 0, max: 100 }
/** Columns in one request: the maximum number of columns of a table. */
const fieldsBounds = { min: 0, max: 2_000 }
const searchFieldsBounds = { min: 1, max: 2_000 }

/** Cell values by column id. */
const fields = z.record(z.string(), z.unknown()).meta({ description: 'Values by column id' })
const rowId = z.int().meta({ description: 'Row id' })

/** Length of a search text. */
const MAX_SEARCH = 200
const searchText = z
  .string()
  .refine(
    ({ length }) => length >= 1 && length <= MAX_SEARCH,
    `must have 1 to ${MAX_SEARCH} characters`,
  )

const SEARCH = `Text of 1 to ${MAX_SEARCH} characters. Selects the records of which a cell, as text, contains it, ignoring case; records must pass the filter as well.`
const SEARCH_FIELDS = 'Ids of the columns that `search` looks at'
const SEARCH_LOCALE =
  'Language tag of the reader: `search` also finds numbers and dates as this language shows them. A language that Sheaf cannot write has no effect.'
/** Length of the longest language tags in use, with room for extensions. */
const MAX_LOCALE = 100

function isLanguageTag(text: string): boolean {
  try {
    return text.length <= MAX_LOCALE && Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

/** A filter in a query. */
export const filterText = z
  .string()
  .optional()
  .meta({ description: `JSON text. ${FILTER}`, example: '{"country": ["FR", "PT"]}' })

const searchLocale = z.string().refine(isLanguageTag, 'must be a language tag, such as en-GB')

/** A search in a query. */
export const searchQuery = {
  search: searchText.optional().meta({ description: SEARCH, example: 'lisbon' }),
  searchFields: z
    .string()
    .optional()
    .meta({
      description: `${SEARCH_FIELDS}, separated by commas; absent for all that are not hidden`,
      example: 'country,city',
    }),
  searchLocale: searchLocale.optional().meta({ description: SEARCH_LOCALE, example: 'en-GB' }),
}

/** Selection of records in a query. */
export const recordsQuery = z.object({
  filter: filterText,
  ...searchQuery,
  sort: z.string().optional().meta({
    description:
      'Column ids separated by commas. A `-` before an id sorts in descending order; `:` after it adds flags separated by `;`: `naturalSort`, `emptyLast`, `orderByChoice`.',
    example: 'country,-population',
  }),
  limit: limitText.optional().meta({
    type: 'integer',
    description: 'Maximum number of records; 0 or absent for all',
    example: 100,
  }),
  offset: offsetText.optional().meta({ type: 'integer', description: OFFSET, example: 500 }),
  hidden: flag('Include hidden columns'),
  fields: z.string().optional().meta({
    description: 'Ids of the columns to return, separated by commas; absent for all',
    example: 'country,population',
  }),
  cursor: z.string().max(MAX_CURSOR, `must have at most ${MAX_CURSOR} characters`).optional().meta({
    description:
      'Position of a page of `limit` records: empty for the first page, then `nextCursor` of the previous page, with the same filter, search and sort. Pages never repeat a record, nor skip one that exists throughout. At most 8,192 characters.',
  }),
  count: flag('Return the number of all records that match filter and search, as `totalCount`'),
  cellFormat: choice(
    ['normal', 'typed'],
    'Encoding of cell values; `typed` adds type codes to values such as dates and references',
  ),
})

/** Selection of rows by column. */
export const dataQuery = recordsQuery.omit({
  offset: true,
  hidden: true,
  fields: true,
  cursor: true,
  count: true,
})

/** Selection of records in headers; query parameters take precedence. */
export const recordsHeaders = z.object({
  'X-Sort': z
    .string()
    .optional()
    .meta({ description: 'Same as the query parameter `sort`, which takes precedence' }),
  'X-Limit': limitText.optional().meta({
    type: 'integer',
    description: 'Same as the query parameter `limit`, which takes precedence',
  }),
})

/** Selection of records in a body. */
export const recordsSelection = z.object({
  filter: z
    .looseObject({})
    .refine(
      (filter) => Object.values(filter).every(isWanted),
      'must have an array or an object of operators for each column',
    )
    .optional()
    .meta({ description: FILTER }),
  search: searchText.optional().describe(SEARCH),
  searchFields: listOf(z.string(), searchFieldsBounds)
    .optional()
    .describe(`${SEARCH_FIELDS}; absent for all that are not hidden`),
  searchLocale: searchLocale.optional().describe(SEARCH_LOCALE),
  sort: listOf(z.string(), sortBounds)
    .optional()
    .describe('Column ids, as in the query parameter `sort`, one per item'),
  limit: z
    .int()
    .min(0)
    .max(MAX_LIMIT)
    .optional()
    .describe('Maximum number of records; 0 or absent for all'),
  offset: z.int().min(0).max(MAX_OFFSET).optional().meta({ description: OFFSET }),
  hidden: z.boolean().optional().describe('Include hidden columns'),
  fields: listOf(z.string(), fieldsBounds)
    .optional()
    .describe('Ids of the columns to return; absent for all'),
  cursor: z
    .string()
    .max(MAX_CURSOR, `must have at most ${MAX_CURSOR} characters`)
    .optional()
    .describe('Position of a page, as in the query parameter `cursor`'),
  count: z
    .boolean()
    .optional()
    .describe('Return the number of all records that match filter and search, as `totalCount`'),
  cellFormat: z
    .enum(['normal', 'typed'])
    .optional()
    .describe(
      'Encoding of cell values; `typed` adds type codes to values such as dates and references',
    ),
})

/** Query parameters of writes. */
export const writeQuery = z.object({
  noparse: flag('Store text values unchanged instead of converting them to the column type'),
})

/** Query parameters of adding records. */
export const addQuery = writeQuery.extend({
  flat: flag('The body is a list of `fields` objects, without the `records` wrapper'),
})

/** Query parameters of adding or updating records. */
export const addOrUpdateQuery = writeQuery.extend({
  onmany: choice(['first', 'none', 'all'], 'Which records to update if several match `require`'),
  noadd: flag('Do not add records'),
  noupdate: flag('Do not update records'),
  allow_empty_require: flag('Allow an empty `require`, which matches every record'),
})

/** Records of a table. */
export const records = z
  .object({
    records: z.array(z.object({ id: rowId, fields })).describe('Records of the selection'),
    nextCursor: z.string().nullable().optional().meta({
      description: 'Cursor of the next page, null on the last page. Present if `cursor` is set.',
    }),
    totalCount: z.int().optional().meta({
      description: 'Number of records that match filter and search. Present if `count` is set.',
    }),
  })
  .meta({ id: 'Records', description: 'Records of a table' })

/** Records to add. */
export const newRecords = z.object({
  records: z
    .array(z.object({ fields: fields.optional() }))
    .min(1)
    .describe('Records to add'),
})

/** Records that were added. */
export const recordIds = z.object({
  records: z.array(z.object({ id: rowId })).describe('Added records, in request order'),
})

/** Cells to change. */
export const recordChanges = z.object({
  records: z
    .array(
      z.object({
        id: rowId,
        fields,
        expect: z.record(z.string(), z.unknown()).optional().meta({
          description:
            'Expected current values by column id. Returns 412 and changes nothing if the record has other values.',
        }),
      }),
    )
    .min(1)
    .describe('Records to change'),
})

/** Records to match, and cells to write. */
export const requiredRecords = z.object({
  records: z
    .array(
      z.object({
        require: fields.meta({
          description: 'Values by column id that a record must have to match',
        }),
        fields: fields.optional(),
        expect: z.record(z.string(), z.unknown()).optional().meta({
          description:
            'Expected current values by column id. Returns 412 and changes nothing if a matching record has other values.',
        }),
      }),
    )
    .min(1)
    .describe('Records to match, with values to write'),
})

/** Records that were added or updated. */
export const addedOrUpdated = z.object({
  recordIds: z.array(z.array(rowId)).meta({
    description: 'For each item of the request, the row ids that it was written to',
  }),
  addRecordIds: z.array(rowId).describe('Row ids of the added records'),
  updateRecordIds: z
    .array(z.array(rowId))
    .describe('Row ids of the updated records, for each item of the request that updated any'),
})

/** Row ids of records to delete. */
export const rowIds = z.array(rowId)

/** Lists of cell values by column id, including `id`. */
export const dataColumns = z
  .record(z.string(), z.array(z.unknown()))
  .meta({ description: 'Lists of values by column id, with one value per row' })
