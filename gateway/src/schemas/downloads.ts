import { z } from 'zod'
import { choice, flag } from './parameters'
import { text } from './text'

/** A table by its id. */
const tableId = text.min(1, 'cannot be empty')

const header = choice(
  ['label', 'colId'],
  'What stands in the first line: labels are for people, column ids for programs',
)

const ignored = (what: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({ type: 'string', description: `${what}; acts only together with \`viewSection\`` })

/** A view section, which Sheaf does not have, so that none is ever found. */
const viewSection = z
  .string()
  .regex(/^\d{0,15}$/, 'cannot be understood as an integer')
  .transform(Number)
  .optional()
  .meta({ type: 'integer', description: 'Section of a page; 404, because Sheaf keeps no pages' })

const title = text.optional().meta({
  description: 'Name of the file; made from those of document and table when absent',
})

const selection = {
  viewSection,
  activeSortSpec: ignored('Order'),
  filters: ignored('Filters'),
  linkingFilter: ignored('Filter of a linked section'),
}

const standard = flag(
  'Write what the table schema describes: choice lists as JSON, dates and times with two digits each',
)

const rowIds = flag('Begin each line with the row id, as column `id`')

/** Parameters of a table download. */
export const tableDownload = z.object({
  tableId: tableId.meta({ description: 'Table id', example: 'People' }),
  header,
  rowIds,
  standard,
  title,
  ...selection,
})

/** Parameters of a table's schema. */
export const schemaQuery = tableDownload.omit({ title: true, standard: true })

/** Parameters of a workbook download. */
export const workbookDownload = z.object({
  tableId: tableId.optional().meta({ description: 'Table id; all tables when absent' }),
  header,
  title,
  ...selection,
})

/** Parameters of a document download. */
export const documentDownload = z.object({
  nohistory: flag('Leave out the history, which can make the file much smaller'),
  template: flag('Leave out all data and history, and keep the structure'),
  dryrun: flag('Only tell whether it can be downloaded'),
})

/** Description of a CSV file by the Table Schema standard. */
export const tableSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    format: z.literal('csv'),
    mediatype: z.literal('text/csv'),
    encoding: z.literal('utf-8'),
    path: z.string().meta({ description: 'Address of the CSV file' }),
    dialect: z.object({ delimiter: z.string(), doubleQuote: z.boolean() }),
    schema: z.object({
      fields: z.array(
        z.looseObject({
          name: z.string(),
          type: z.string(),
          constraints: z.looseObject({ required: z.boolean().optional() }).optional(),
        }),
      ),
      primaryKey: z.array(z.string()).optional(),
    }),
  })
  .meta({ id: 'TableSchema' })
