import { z } from 'zod'
import { change } from './changes'
import { docParams } from './parameters'
import { text } from './text'

const MAX_LIMIT = 100

const number = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)

/** Selection of changes in the history of a document. */
export const historyQuery = z.object({
  tableId: text.optional().meta({
    description:
      'Only changes of this table: its id now, or its tableRef, by which tables are found that are gone',
    example: 'People',
  }),
  rowId: number.optional().meta({
    type: 'integer',
    description: 'Only changes of this row of the table',
    example: 1,
  }),
  limit: number
    .refine((limit) => limit > 0 && limit <= MAX_LIMIT, `must be from 1 to ${MAX_LIMIT}`)
    .optional()
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: MAX_LIMIT,
      default: MAX_LIMIT,
      description: 'At most this many; a page may hold fewer, and not be the last',
    }),
  before: number.optional().meta({
    type: 'integer',
    description: 'Only changes with a smaller seq; `next` of the page before',
  }),
})

/** A page of changes. */
export const historyPage = z
  .object({
    changes: z.array(
      change.extend({
        user: z
          .object({
            id: z.int(),
            name: z.string().nullable(),
            email: z.string().nullable(),
          })
          .nullable()
          .meta({
            description:
              'Who made the change; null for Sheaf itself. Name and email are null when the account is gone',
          }),
      }),
    ),
    next: z
      .int()
      .nullable()
      .meta({ description: '`before` of the next page; null when this was the last' }),
  })
  .meta({ id: 'HistoryPage' })

/** A change in a path. */
export const changeParams = docParams.extend({
  seq: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'is not the seq of a change')
    .transform(Number)
    .meta({ type: 'integer', description: 'Position of the change in the log', example: 12 }),
})

/** Position of a new change. */
export const changeSeq = z
  .object({ seq: z.int().meta({ description: 'Position of the new change in the log' }) })
  .meta({ id: 'ChangeSeq' })
