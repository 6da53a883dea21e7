import { z } from 'zod'
import { nameText } from './text'

/** The form of an import. */
export const importForm = z.object({
  name: nameText.optional().meta({
    description: 'Document name; must precede the file. Default: file name without extension.',
  }),
  upload: z.string().meta({
    format: 'binary',
    description:
      'CSV, TSV, XLSX or JSON file, Grist document, SQLite document downloaded from Sheaf, or other SQLite database',
  }),
})

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
