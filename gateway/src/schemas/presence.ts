import { z } from 'zod'
import { docParams } from './parameters'
import { text } from './text'

/** As long as the ids of tables and columns. */
const MAX_ID = 500
const MAX_ROW_ID = 2 ** 31 - 1

/** Name of a session, which the client chooses. */
export const sessionName = z
  .string()
  .regex(/^[\w-]{8,64}$/, 'must be 8 to 64 letters, digits, dashes or underscores')

/** Path parameters of a session in a document. */
export const presenceParams = docParams.extend({
  sessionId: sessionName.meta({
    description: 'The `session` of an open stream of changes of the caller',
    example: 'k3VtX9wQ',
  }),
})

/** Where in a document a session is. */
export const presencePlace = z
  .object({
    tableId: text.min(1).max(MAX_ID).optional().describe('Id of the table'),
    rowId: z.int().min(1).max(MAX_ROW_ID).optional().describe('Id of the row'),
    colId: text.min(1).max(MAX_ID).optional().describe('Id of the column'),
  })
  .refine(({ tableId, rowId }) => rowId === undefined || tableId !== undefined, {
    path: ['tableId'],
    message: 'is required with rowId',
  })
  .refine(({ rowId, colId }) => colId === undefined || rowId !== undefined, {
    path: ['rowId'],
    message: 'is required with colId',
  })
  .meta({
    id: 'PresencePlace',
    description: 'A table, a row or a cell; `{}` for nowhere in particular',
  })
