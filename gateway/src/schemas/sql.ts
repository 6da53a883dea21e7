import { z } from 'zod'
import { listOf } from './list'
import { text } from './text'

/** document-data accepts no longer ones. */
const MAX_SQL_LENGTH = 1024 * 1024
/** The maximum number of parameters in SQLite. */
const argsBounds = { min: 0, max: 32_766 }

const STATEMENT =
  'One SELECT, which may begin with WITH. It sees the tables of the document and its `_grist_` tables, with cells as they are stored'

const isArg = (value: unknown) =>
  value === null || ['number', 'string', 'boolean'].includes(typeof value)

/** A statement in a query. */
export const sqlQuery = z.object({
  // The handler reports an absent one.
  q: text.optional().meta({
    description: `${STATEMENT}; needed`,
    example: 'select country, count(*) as n from Towns group by country',
  }),
})

/** A statement with values for its parameters. */
export const sqlStatement = z.object({
  sql: text.max(MAX_SQL_LENGTH).meta({
    description: STATEMENT,
    example: 'select Name from Towns where Size > ?',
  }),
  args: listOf(z.unknown().refine(isArg, 'is neither a number nor a string'), argsBounds)
    .nullable()
    .optional()
    .meta({
      description: 'Values for the parameters, in their order; null where there is none',
      example: [1000],
    }),
  timeout: z.number().optional().meta({
    description: 'Milliseconds after which the statement is given up; can only lower the limit',
    example: 500,
  }),
})

/** Rows of a statement. */
export const sqlResult = z
  .object({
    statement: z.string().meta({ description: 'The statement as it was sent' }),
    records: z.array(
      z.object({
        fields: z
          .record(z.string(), z.unknown())
          .meta({ description: 'Values by column of the result' }),
      }),
    ),
  })
  .meta({ id: 'SqlResult' })
