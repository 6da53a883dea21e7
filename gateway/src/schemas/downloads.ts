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
    name: z.string().describe('Name of the resource: document and table'),
    title: z.string().describe('Title of the resource'),
    format: z.literal('csv').describe('Format of the file'),
    mediatype: z.literal('text/csv').describe('Media type of the file'),
    encoding: z.literal('utf-8').describe('Encoding of the file'),
    path: z.string().meta({ description: 'URL of the CSV file' }),
    dialect: z
      .object({
        delimiter: z.string().describe('Delimiter of values'),
        doubleQuote: z.boolean().describe('Whether quotes in values are doubled'),
      })
      .describe('Syntax of the file'),
    schema: z
      .object({
        fields: z
          .array(
            z.looseObject({
              name: z.string().describe('Name of the field'),
              type: z.string().describe('Type of the field in the Table Schema standard'),
              constraints: z
                .looseObject({
                  required: z.boolean().optional().describe('Whether each row has a value'),
                })
                .optional()
                .describe('Constraints on values'),
            }),
          )
          .describe('Fields, in the order of the columns'),
        primaryKey: z
          .array(z.string())
          .optional()
          .describe('Names of the fields that identify a row'),
      })
      .describe('Schema of the table'),
  })
  .meta({
    id: 'TableSchema',
    description: 'Description of a CSV file by the Table Schema standard',
  })
