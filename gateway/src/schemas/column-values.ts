import { z } from 'zod'
import { limitUpTo } from './parameters'
import { filterText, searchQuery } from './records'

const MAX_VALUES = 1_000

/** In which records the values of a column are counted. */
export const columnValuesQuery = z.object({
  filter: filterText,
  ...searchQuery,
  limit: limitUpTo(MAX_VALUES, {
    byDefault: 200,
    description: 'Maximum number of values listed',
  }),
})

/** Distinct values of a column. */
export const columnValues = z
  .object({
    values: z
      .array(
        z.object({
          value: z.unknown().meta({ description: 'Value as in records' }),
          count: z.int().meta({ description: 'Number of records that have it' }),
        }),
      )
      .meta({ description: 'The most frequent values' }),
    total: z.int().meta({ description: 'Number of distinct values' }),
  })
  .meta({
    example: {
      values: [
        { value: 'FR', count: 12 },
        { value: 'PT', count: 3 },
      ],
      total: 2,
    },
  })
