import { z } from 'zod'
import { nameText } from './text'

/** The form that uploads a file. */
export const importForm = z.object({
  name: nameText.optional().meta({
    description:
      'Name of the document, before the file; that of the file without its end when absent',
  }),
  upload: z
    .string()
    .meta({ format: 'binary', description: 'CSV, TSV, XLSX, JSON, or SQLite as downloaded' }),
})

/** The result of an import. */
export const importedDocument = z
  .object({
    id: z.string().meta({ description: 'UUID of the document' }),
    title: z.string(),
    tables: z.array(z.object({ id: z.string(), rows: z.int() })),
  })
  .meta({ id: 'ImportedDocument' })
