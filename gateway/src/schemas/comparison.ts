import { z } from 'zod'
import { operation } from './changes'
import { MOMENT_FORM, parseMoment } from './moment'
import { flag, limitUpTo } from './parameters'
import { text } from './text'

const DEFAULT_LIMIT = 1000
const MAX_LIMIT = 10_000
/** Longer than any cursor that Sheaf issues. */
const MAX_CURSOR = 8192

const momentText = z.string().transform((given, context) => {
  const moment = parseMoment(given)
  if (moment) return moment
  context.addIssue(MOMENT_FORM)
  return z.NEVER
})

/** Which moments and tables to compare. */
export const comparisonQuery = z.object({
  from: momentText.meta({
    type: 'string',
    description:
      'The moment that the differences lead from: the `seq` of a change, or a time by RFC 3339. It may be later than `to`.',
    example: '2026-03-01T09:30:00Z',
  }),
  to: momentText.optional().meta({
    type: 'string',
    description: 'The moment that they lead to, in the same form; absent for the present',
  }),
  tableId: text.optional().meta({
    description:
      'Compare this table only: its id at one of the moments, or `tableRef`, which also finds deleted tables',
    example: 'People',
  }),
  limit: limitUpTo(MAX_LIMIT, {
    byDefault: DEFAULT_LIMIT,
    description: 'Maximum number of rows. Ignored for lines and summaries.',
  }),
  cursor: z.string().max(MAX_CURSOR, `must have at most ${MAX_CURSOR} characters`).optional().meta({
    description:
      '`nextCursor` of the previous page, with the same `tableId`. All pages compare the moments of the first one, also when the document changes in between.',
  }),
  summary: flag('Return how many tables, columns and rows differ, instead of what differs'),
})

const moment = z.object({
  seq: z.int().describe('Position in the log'),
  time: z.iso.datetime().describe('Time of the change at this position'),
})

const counts = z.object({
  added: z.int().describe('Only at the moment `to`'),
  removed: z.int().describe('Only at the moment `from`'),
  changed: z.int().describe('At both, with differences'),
})

const tableCounts = z.object({
  tableId: z.string().describe('Table id at the moment `to`; of a removed table at `from`'),
  tableRef: z.int().describe('Row id of the table in `_grist_Tables`; 0 for attachments'),
  change: z
    .enum(['added', 'removed', 'changed', 'none'])
    .describe('What became of the table itself; `changed` when its id or other metadata differ'),
  columns: counts.describe('Columns, of a table that exists at both moments'),
  rows: counts.describe('Rows'),
})

/** A page of differences, or their numbers. */
export const comparisonResult = z
  .object({
    from: moment.describe('The moment that the differences lead from'),
    to: moment.describe('The moment that they lead to'),
    operations: z.array(operation).optional().meta({
      description:
        'The differences, as in changes: first those of tables and columns, then rows by table and row id. Absent in a summary.',
    }),
    nextCursor: z
      .string()
      .nullable()
      .optional()
      .describe('`cursor` of the next page; null on the last page. Absent in a summary.'),
    tables: z.array(tableCounts).optional().describe('In a summary, the tables with differences'),
  })
  .meta({ id: 'Comparison', description: 'Differences between two moments of a document' })
