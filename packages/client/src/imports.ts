import { toBlob, type UploadFile, type UploadOptions } from './attachments.ts'
import type { CallOptions } from './call-options.ts'
import type { Call, Connection } from './connection.ts'
import type { UploadProgress } from './http-request.ts'

/** How a file is read. What is absent is detected, and what a format does not have is ignored. */
export interface ImportOptions {
  /** Character between the cells of CSV and TSV. */
  readonly delimiter?: string
  /** Whether the first row names the columns; true by default. */
  readonly header?: boolean
  /** Decimal separator of numbers in text. */
  readonly decimal?: '.' | ','
  /** Such as `windows-1252`. */
  readonly encoding?: string
  /** Types of columns instead of the detected ones, by ids of table and column as in the preview. */
  readonly types?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** The table that the rows of a file are appended to. */
export interface ImportTarget {
  /** Its id. */
  readonly table: string
  /** Id of the table of the file, as in the preview; not needed if there is only one. */
  readonly source?: string
  /** Columns of the table by column of the file, or null to leave it out. The others go to the column with the same id or label. */
  readonly columns?: Readonly<Record<string, string | null>>
  /** What happens with columns that the table does not have. Default: `refuse`. */
  readonly unknownColumns?: 'refuse' | 'ignore' | 'add'
}

/** A column that an import would create. */
export interface PreviewedColumn {
  readonly id: string
  readonly fields: { readonly label: string; readonly type: string; readonly widgetOptions: string }
}

/** A table that an import would create. */
export interface PreviewedTable {
  readonly id: string
  /** Number of rows that were read. */
  readonly rows: number
  readonly columns: readonly PreviewedColumn[]
  /** The first 20 rows as they will be stored. */
  readonly records: readonly {
    readonly id: number
    readonly fields: Readonly<Record<string, unknown>>
  }[]
}

/** What an import would create. */
export interface ImportPreview {
  readonly format: 'csv' | 'tsv' | 'xlsx' | 'json' | 'sqlite' | 'sheaf' | 'grist'
  /** The options as used, those that were detected included. */
  readonly options: Omit<ImportOptions, 'types'>
  readonly tables: readonly PreviewedTable[]
  /** True if only the beginning of the file was sent. */
  readonly hasMore: boolean
  /** What of the file would be left out or changed. */
  readonly notes: readonly string[]
}

/** A table that an import has added, or added rows to. */
export interface ImportedTable {
  readonly id: string
  /** Number of rows that were added. */
  readonly rows: number
}

/** A document that was created from a file. */
export interface ImportedDocument {
  readonly id: string
  readonly title: string
  readonly tables: readonly ImportedTable[]
  /** What of the file was left out or changed. */
  readonly notes: readonly string[]
}

/** What an import has added to a document. */
export interface ImportedTables {
  readonly tables: readonly ImportedTable[]
  /** Position of the change, which `undo` takes. */
  readonly seq: number
  /** What of the file was left out or changed. */
  readonly notes: readonly string[]
}

/** Options of a preview. */
export interface PreviewImportOptions extends CallOptions {
  readonly options?: ImportOptions
  /** True if the file is only the beginning of a CSV or TSV file, whose last row may be incomplete. */
  readonly part?: boolean
  /** Called while the file is sent. */
  readonly onProgress?: (progress: UploadProgress) => void
}

/** Options of an import into a document. */
export interface ImportTablesOptions extends UploadOptions {
  readonly options?: ImportOptions
  /** Table to append the rows to; without it tables are added. */
  readonly target?: ImportTarget
}

/** The call that sends a file with fields before it; those that are undefined are omitted, objects are sent as JSON. */
export function importCall(
  path: string,
  file: UploadFile,
  { onProgress, ...fields }: Readonly<Record<string, unknown>> & Pick<UploadOptions, 'onProgress'>,
): Call {
  const blob = toBlob(file)
  const upload = () => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined)
        form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
    form.append('upload', blob, file.name)
    return { form, total: blob.size, onProgress }
  }
  return { method: 'POST', path, upload, isLong: true }
}

/** Previews an import to a path of the API. */
export function previewImport(
  connection: Connection,
  path: string,
  file: UploadFile,
  { options, part, onProgress, ...call }: PreviewImportOptions = {},
): Promise<ImportPreview> {
  const send = importCall(`${path}/preview`, file, { options, part, onProgress })
  return connection.json({ ...send, isRepeatable: true }, call)
}
