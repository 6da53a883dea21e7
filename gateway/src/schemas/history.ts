import { z } from 'zod'
import { change } from './changes'
import { moment } from './moment'
import { docParams, limitUpTo } from './parameters'
import { text } from './text'

const MAX_LIMIT = 100

/** Not 0, which would count as absent and select everything. */
const number = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a positive integer')
  .transform(Number)
  .refine((given) => given > 0, 'must be a positive integer')

/** Selection of changes of a document. */
export const historyQuery = z.object({
  tableId: text.optional().meta({
    description:
      'Return changes of this table only: current table id, or `tableRef`, which also finds deleted tables',
    example: 'People',
  }),
  rowId: number.optional().meta({
    type: 'integer',
    description: 'Return changes of this row only; requires `tableId`',
    example: 1,
  }),
  keyId: number.optional().meta({
    type: 'integer',
    description: 'Return changes made with this API key only: `id` of the key',
    example: 7,
  }),
  limit: limitUpTo(MAX_LIMIT, {
    byDefault: MAX_LIMIT,
    description: 'Maximum number of changes. A page can have fewer without being the last.',
  }),
  before: number.optional().meta({
    type: 'integer',
    description: 'Return changes with a smaller `seq` only: `next` of the previous page',
  }),
})

/** A page of changes. */
export const historyPage = z
  .object({
    changes: z
      .array(
        change.extend({
          user: z
            .object({
              id: z.int().describe('Integer id of the user'),
              name: z.string().nullable().describe('Name of the user'),
              email: z.string().nullable().describe('Email address of the user'),
            })
            .nullable()
            .meta({
              description:
                'Author of the change; null for the system. Name and email are null if the account was deleted.',
            }),
        }),
      )
      .describe('Changes, newest first'),
    next: z
      .int()
      .nullable()
      .meta({ description: '`before` of the next page; null on the last page' }),
  })
  .meta({ id: 'HistoryPage', description: 'Page of the change history' })

/** Path parameters of a change. */
export const changeParams = docParams.extend({
  seq: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be a positive integer')
    .transform(Number)
    .meta({ type: 'integer', description: 'Position of the change in the log', example: 12 }),
})

/** The position of a new change. */
export const changeSeq = z
  .object({ seq: z.int().meta({ description: 'Position of the new change in the log' }) })
  .meta({ id: 'ChangeSeq', description: 'Position of a change' })

/** The moment that a document is to be restored to. */
export const momentToRestore = z
  .object({
    asOf: moment,
    // An empty id must not restore everything.
    tableId: text.min(1, 'must not be empty').optional().meta({
      description:
        'Restore this table only: current table id, or `tableRef`, which also finds deleted tables',
      example: 'People',
    }),
  })
  .meta({ id: 'MomentToRestore', description: 'Moment of a document or of a table' })
