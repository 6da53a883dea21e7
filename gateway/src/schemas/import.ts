import type { PreviewImportResponse } from '@sheaf/protos/sheaf/document_data/v1/import'
import { z } from 'zod'
import { fromWireOptions, importOptions, importTarget, usedOptions } from './import-options'
import { nameText } from './text'

const upload = z.string().meta({
  format: 'binary',
  description:
    'CSV, TSV, XLSX or JSON file, Grist document, SQLite document downloaded from Sheaf, or other SQLite database',
})
const options = importOptions
  .optional()
  .describe('How the file is read, as JSON text; must precede the file')

/** The form of an import. */
export const importForm = z.object({
  name: nameText.optional().meta({
    description: 'Document name; must precede the file. Default: file name without extension.',
  }),
  options,
  upload,
})

/** The form of an import into a document. */
export const importTablesForm = z.object({
  options,
  target: importTarget
    .optional()
    .describe(
      'Table to append rows to, as JSON text; must precede the file. By default tables are added',
    ),
  upload,
})

/** What an import has added to a document. */
export const importedTables = z
  .object({
    tables: z
      .array(
        z.object({
          id: z.string().describe('Id of the table'),
          rows: z.int().describe('Number of rows that were added'),
        }),
      )
      .describe('Tables that were added, or the table that rows were appended to'),
    seq: z.int().describe('Position of the change in the history of the document'),
    notes: z
      .array(z.string())
      .describe('What of the file was left out or changed, in words; empty when nothing was'),
  })
  .meta({ id: 'ImportedTables', description: 'Tables and rows added by an import' })

/** The form of a preview. */
export const previewForm = z.object({
  options,
  part: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'Whether the upload is only the beginning of a CSV or TSV file, whose last row may be incomplete; must precede the file',
    ),
  upload,
})

/** What an import would create. */
export const importPreview = z
  .object({
    format: z
      .enum(['csv', 'tsv', 'xlsx', 'json', 'sqlite', 'sheaf', 'grist'])
      .describe('Format of the file'),
    options: usedOptions,
    tables: z
      .array(
        z.object({
          id: z.string().describe('Id of the table'),
          rows: z.int().describe('Number of rows that were read'),
          columns: z
            .array(
              z.object({
                id: z.string().describe('Id of the column'),
                fields: z
                  .object({
                    label: z.string().describe('Label'),
                    type: z.string().describe('Column type'),
                    widgetOptions: z.string().describe('Display options as JSON text, or empty'),
                  })
                  .describe('Its metadata'),
              }),
            )
            .describe('Columns in the order of the file'),
          records: z
            .array(
              z.object({
                id: z.int().describe('Row id'),
                fields: z.record(z.string(), z.unknown()).describe('Cells by column id'),
              }),
            )
            .describe(
              'The first 20 rows as they will be stored, texts cut at 1,000 characters; fewer when they are large',
            ),
        }),
      )
      .describe('Tables in the order of the file'),
    hasMore: z.boolean().describe('Whether only the beginning of the file was uploaded'),
    notes: z
      .array(z.string())
      .describe(
        'What of the file would be left out or changed, in words; empty when nothing would',
      ),
  })
  .meta({ id: 'ImportPreview', description: 'Tables that an import would create' })

/** Converts a preview of document-data. */
export function toImportPreview(given: PreviewImportResponse): z.infer<typeof importPreview> {
  const { format, options: used, tables, hasMore, notes } = given
  return {
    format: format as z.infer<typeof importPreview>['format'],
    options: fromWireOptions(used),
    tables: tables.map(({ id, rows, columns, recordsJson }) => ({
      id,
      rows,
      columns: columns.map(({ id: name, ...fields }) => ({ id: name, fields })),
      records: JSON.parse(Buffer.from(recordsJson).toString()) as [],
    })),
    hasMore,
    notes,
  }
}

/** The document created by an import. */
export const importedDocument = z
  .object({
    id: z.string().meta({ description: 'UUID of the document' }),
    title: z.string().describe('Name of the document'),
    tables: z
      .array(
        z.object({
          id: z.string().describe('Id of the table'),
          rows: z.int().describe('Number of rows'),
        }),
      )
      .describe('Tables of the document'),
    notes: z
      .array(z.string())
      .describe('What of the file was left out or changed, in words; empty when nothing was'),
  })
  .meta({ id: 'ImportedDocument', description: 'Document created by an import' })
