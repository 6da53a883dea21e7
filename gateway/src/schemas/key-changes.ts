import { z } from 'zod'
import { change } from './changes'
import { limitUpTo } from './parameters'

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 50

/** A position in the changes of a key: that of one change. */
export interface KeyChangePosition {
  /** Epoch milliseconds. */
  readonly time: number
  readonly docId: string
  readonly seq: number
}

/** Selection of changes of a key. */
export const keyChangesQuery = z.object({
  limit: limitUpTo(MAX_LIMIT, {
    byDefault: DEFAULT_LIMIT,
    description: 'Maximum number of changes. A page can have fewer without being the last.',
  }),
  cursor: z
    .string()
    .regex(/^\d{1,15}_\d{1,15}_[0-9a-f-]{36}$/, 'must be `next` of a page')
    .transform((text): KeyChangePosition => {
      const [time, seq, docId = ''] = text.split('_')
      return { time: Number(time), seq: Number(seq), docId }
    })
    .optional()
    .meta({ type: 'string', description: '`next` of the previous page' }),
})

/** The text of a position, as in a query. */
export const cursorOf = ({ time, seq, docId }: KeyChangePosition): string =>
  `${time}_${seq}_${docId}`

const { seq, time, cause } = change.shape

const tableChanges = z.object({
  tableId: z.string().describe('Id of the table before the change'),
  tableRef: z.int().describe('Row id of the table in `_grist_Tables`; 0 for metadata'),
  addedRows: z.int().describe('Number of rows added'),
  updatedRows: z.int().describe('Number of changes of rows'),
  removedRows: z.int().describe('Number of rows removed'),
  structure: z.boolean().describe('Whether the table itself or its columns changed'),
})

const keyChange = z
  .object({
    docId: z.string().describe('UUID of the document'),
    docName: z.string().describe('Name of the document'),
    seq,
    time,
    cause,
    tables: z
      .array(tableChanges)
      .describe('What changed in which table, without what formulas computed; at most 20 tables'),
    truncated: z
      .literal(true)
      .optional()
      .describe('Present if `tables` is incomplete because of its size'),
  })
  .meta({ id: 'KeyChange', description: 'Change that an API key made, without values' })

/** A page of changes of a key. */
export const keyChangesPage = z
  .object({
    changes: z.array(keyChange).describe('Changes in all documents, newest first'),
    next: z.string().nullable().describe('`cursor` of the next page; null on the last page'),
    unavailable: z
      .array(
        z.object({
          docId: z.string().describe('UUID of the document'),
          docName: z.string().describe('Name of the document'),
        }),
      )
      .describe('Documents whose changes are missing because they cannot be read at present'),
  })
  .meta({ id: 'KeyChangesPage', description: 'Page of the changes of an API key' })
