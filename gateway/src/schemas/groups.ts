import { z } from 'zod'
import { limitUpTo } from './parameters'
import { filterText, searchQuery } from './records'

const MAX_GROUPS = 10_000

/** Which records are counted, and how they are grouped. */
export const groupsQuery = z.object({
  groupBy: z.string().optional().meta({
    description:
      'Up to three columns by which records are grouped, outermost first, as in `sort`; absent for the total of all records only',
    example: 'country,-year',
  }),
  aggregate: z.string().optional().meta({
    description:
      'Up to 200 aggregates of columns, separated by commas: a column id, `:`, and one or several of `filled`, `empty`, `unique`, `sum`, `average`, `min`, `max`, separated by `;`',
    example: 'price:sum;average,city:unique',
  }),
  filter: filterText,
  ...searchQuery,
  limit: limitUpTo(MAX_GROUPS, {
    byDefault: 1_000,
    description: 'Maximum number of innermost groups listed',
  }),
})

const counts = {
  count: z.int().meta({ description: 'Number of records' }),
  aggregates: z
    .record(z.string(), z.record(z.string(), z.number().nullable()))
    .meta({ description: 'Aggregates by column id; null where there is no number' }),
}

const group = z.object({
  value: z.unknown().meta({ description: 'Value of the column, as in records' }),
  isTooLong: z
    .literal(true)
    .optional()
    .meta({ description: 'Present when the value has more than 1,000 bytes; it is null then' }),
  ...counts,
  groups: z
    .array(z.looseObject({}))
    .optional()
    .meta({ description: 'Groups of these records by the next column; absent for the last one' }),
})

/** Records in groups. */
export const groups = z
  .object({
    groups: z
      .array(group)
      .meta({ description: 'Groups by the first column, in the order of records sorted by it' }),
    truncated: z.boolean().meta({ description: 'True if there are more groups than listed' }),
    total: z.object(counts).meta({ description: 'All records that match filter and search' }),
  })
  .meta({
    example: {
      groups: [
        { value: 'FR', count: 12, aggregates: { price: { sum: 480 } } },
        { value: 'PT', count: 3, aggregates: { price: { sum: 75.5 } } },
      ],
      truncated: false,
      total: { count: 15, aggregates: { price: { sum: 555.5 } } },
    },
  })
