import { z } from 'zod'
import { choice, flag } from './parameters'
import { text } from './text'

/** The id of a table. */
const tableId = text.min(1, 'cannot be empty')

const header = choice(['label', 'colId'], 'Contents of the first line: column labels or column ids')

const ignored = (what: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({ type: 'string', description: `${what}; has an effect only with \`viewSection\`` })

/** A section of a page. Sheaf has no pages, so none is ever found. */
const viewSection = z
  .string()
  .regex(/^\d{0,15}$/, 'cannot be understood as an integer')
  .transform(Number)
  .optional()
  .meta({ type: 'integer', description: 'Section of a page. Returns 404: Sheaf has no pages.' })

const title = text.optional().meta({
  description: 'File name; default: document name and table id',
})

const selection = {
  viewSection,
  activeSortSpec: ignored('Sort order'),
  filters: ignored('Filters'),
  linkingFilter: ignored('Filter of a linked section'),
}

const standard = flag(
  'Write the values that the table schema describes: choice lists as JSON, dates and times with two-digit parts',
)

const rowIds = flag('Begin each line with the row id, in the column `id`')

/** Query parameters of a table download. */
export const tableDownload = z.object({
  tableId: tableId.meta({ description: 'Table id', example: 'People' }),
  header,
  rowIds,
  standard,
  title,
  ...selection,
})

/** Query parameters of a table schema. */
export const schemaQuery = tableDownload.omit({ title: true, standard: true })

/** Query parameters of a workbook download. */
export const workbookDownload = z.object({
  tableId: tableId.optional().meta({ description: 'Table id; absent for all tables' }),
  header,
  title,
  ...selection,
})

/** Query parameters of a document download. */
export const documentDownload = z.object({
  nohistory: flag('Omit the history, which can make the file much smaller'),
  template: flag('Omit records, attachments and history; keep the structure only'),
  dryrun: flag('Only check whether the document can be downloaded'),
})

/** The description of a CSV file by the Table Schema standard. */
export const tableSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    format: z.literal('csv'),
    mediatype: z.literal('text/csv'),
    encoding: z.literal('utf-8'),
    path: z.string().meta({ description: 'URL of the CSV file' }),
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
