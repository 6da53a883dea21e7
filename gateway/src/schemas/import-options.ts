import type {
  AppendTarget,
  ImportOptions as WireOptions,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import { z } from 'zod'
import { text } from './text'

const types = z.record(text, z.record(text, text)).meta({
  description:
    'Types of columns, by id of the table and of the column as in the preview, instead of the detected ones: `Text`, `Numeric`, `Int`, `Bool`, `Date`, `DateTime:<time zone>`, `Choice`, `ChoiceList` or `Any`. Not for documents of Sheaf and Grist',
  example: { People: { Code: 'Text' } },
})

const delimiter = text.meta({
  description: 'Character between the cells of CSV and TSV',
  example: ';',
})
const header = z.boolean().meta({
  description: 'Whether the first row of CSV, TSV and XLSX names the columns; true by default',
})
const decimal = z
  .enum(['.', ','])
  .describe('Decimal separator of numbers in the text of CSV, TSV, XLSX and JSON')
const encoding = text.meta({
  description: 'Encoding of CSV, TSV and JSON: `utf-8`, `utf-16le`, `windows-1252` and others',
  example: 'windows-1252',
})

/** How a file is read. */
export const importOptions = z
  .strictObject({
    delimiter: delimiter.optional(),
    header: header.optional(),
    decimal: decimal.optional(),
    encoding: encoding.optional(),
    types: types.optional(),
  })
  .meta({
    id: 'ImportOptions',
    description:
      'How a file is read; what is absent is detected, and what a format does not have is ignored',
  })

/** The options as used, those that were detected included. */
export const usedOptions = z
  .object({
    delimiter: delimiter.optional(),
    header: header.optional(),
    decimal: decimal.optional(),
    encoding: encoding.optional(),
  })
  .meta({
    id: 'UsedImportOptions',
    description: 'How the file was read; without what its format does not have',
  })

/** The table that rows are appended to. */
export const importTarget = z
  .strictObject({
    table: text.describe('Id of the table that rows are appended to'),
    source: text
      .optional()
      .describe(
        'Id of the table of the file, as in the preview; may be absent if there is only one',
      ),
    columns: z
      .record(text, text.min(1, 'must be the id of a column, or null').nullable())
      .optional()
      .meta({
        description:
          'Columns of the table by column of the file, or null to leave it out. The others go to the column with the same id or label',
        example: { Item: 'Product', Note: null },
      }),
    unknownColumns: z
      .enum(['refuse', 'ignore', 'add'])
      .optional()
      .describe('What happens with columns that the table does not have; `refuse` by default'),
  })
  .meta({ id: 'ImportTarget', description: 'Table that the rows of a file are appended to' })

/** Converts a target to that of document-data. */
export function toWireTarget(given: z.infer<typeof importTarget>): AppendTarget {
  const { table, source = '', columns = {}, unknownColumns = '' } = given
  const mapping = Object.entries(columns).map(([from, to]) => [from, to ?? ''])
  return {
    tableId: table,
    sourceTableId: source,
    columns: Object.fromEntries(mapping) as Record<string, string>,
    unknownColumns,
  }
}

/** Converts options to those of document-data. */
export function toWireOptions(given: z.infer<typeof importOptions>): WireOptions {
  const chosen = Object.entries(given.types ?? {}).flatMap(([tableId, columns]) =>
    Object.entries(columns).map(([columnId, type]) => ({ tableId, columnId, type })),
  )
  return {
    delimiter: given.delimiter ?? '',
    hasHeader: given.header,
    decimal: given.decimal ?? '',
    encoding: given.encoding ?? '',
    types: chosen,
  }
}

/** Converts the options as used by document-data. */
export function fromWireOptions(used: WireOptions | undefined): z.infer<typeof usedOptions> {
  if (!used) return {}
  const { delimiter, hasHeader, decimal, encoding } = used
  return {
    ...(delimiter !== '' && { delimiter }),
    ...(hasHeader !== undefined && { header: hasHeader }),
    ...((decimal === '.' || decimal === ',') && { decimal }),
    ...(encoding !== '' && { encoding }),
  }
}
