import { z } from 'zod'
import { listOf } from './list'
import { text } from './text'

/** Longest statement; document-data has the same limit. */
const MAX_SQL_LENGTH = 1024 * 1024
/** Arguments of a statement: the maximum number of parameters in SQLite. */
const argsBounds = { min: 0, max: 32_766 }

const STATEMENT =
  'One SELECT statement of SQLite, optionally with WITH. It can read the tables of the document and its `_grist_` tables, with values in their stored form. At most 1 MiB.'

const isArg = (value: unknown) =>
  value === null || ['number', 'string', 'boolean'].includes(typeof value)

/** A statement in a query. */
export const sqlQuery = z.object({
  // Optional here: the handler throws the error for a missing statement.
  q: text.optional().meta({
    description: `${STATEMENT} Required.`,
    example: 'select country, count(*) as n from Towns group by country',
  }),
})

/** A statement with values for its parameters. */
export const sqlStatement = z.object({
  sql: text.max(MAX_SQL_LENGTH).meta({
    description: STATEMENT,
    example: 'select Name from Towns where Size > ?',
  }),
  args: listOf(z.unknown().refine(isArg, 'must be a number, string, boolean or null'), argsBounds)
    .nullable()
    .optional()
    .meta({
      description: 'Values of the parameters by position: numbers, strings, booleans or null',
      example: [1000],
    }),
  timeout: z.number().optional().meta({
    description: 'Time limit in milliseconds; can only lower the limit of the server',
    example: 500,
  }),
})

/** Result rows of a statement. */
export const sqlResult = z
  .object({
    statement: z.string().meta({ description: 'The statement of the request' }),
    records: z
      .array(
        z.object({
          fields: z
            .record(z.string(), z.unknown())
            .meta({ description: 'Values by result column' }),
        }),
      )
      .describe('Result rows'),
  })
  .meta({ id: 'SqlResult', description: 'Result of a statement' })
