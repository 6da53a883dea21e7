import { parse } from 'node:path'
import type { FirstEntry } from '../store/log/first-entries'
import type { Author } from '../store/log/log'
import type { LoadedTable } from './copy-document'
import { delimitedRows } from './delimited-rows'
import { DocumentDraft } from './document-draft'
import { DocumentSize } from './document-size'
import { findFormat, type ImportFormat } from './import-format'
import { ImportNotes } from './import-notes'
import { importSqlite } from './import-sqlite'
import { jsonRows } from './json-rows'
import { TableLoader } from './load-tables'
import type { RowSource } from './row-sink'
import { TableSurvey } from './table-survey'
import { workbookRows } from './workbook-rows'

/** Describes an import. */
export interface ImportRequest {
  /** The uploaded file; it may be modified. */
  readonly upload: string
  /** Original file name. */
  readonly fileName: string
  /** Path of the document's file to create. */
  readonly target: string
  readonly author: Author
  /** Format of that file; the newest by default. */
  readonly documentFormat?: number
}

/** Progress of an import. */
export interface ImportProgress {
  readonly rowsRead: number
  readonly rowsStored: number
}

/** The result of an import. */
export interface Imported {
  /** The first entry of its log, to be published. */
  readonly first: FirstEntry
  readonly tables: readonly LoadedTable[]
  /** What of the file was left out or changed, in words. */
  readonly notes: readonly string[]
}

/** Default settings of new documents. */
const settings = { timezone: 'UTC', locale: 'en-US' }
/** Rows between two progress reports. */
const REPORT_ROWS = 2_000

/**
 * Creates the file of a document from an upload. The upload may be hostile, so this runs in a separate
 * process. Throws AppError for faults of the upload.
 * @param size counts what is stored; tests pass one with a lower limit
 */
export async function importFile(
  request: ImportRequest,
  report: (progress: ImportProgress) => void,
  size = new DocumentSize(),
): Promise<Imported> {
  const { upload, fileName, target, author, documentFormat } = request
  const counter = new RowCounter(report)
  const format = await findFormat(upload, fileName)
  using draft = DocumentDraft.create(target, settings, documentFormat)
  const notes = new ImportNotes()
  const tables =
    format === 'sqlite'
      ? await importSqlite(upload, draft.writer, {
          size,
          notes,
          onRead: () => counter.read(),
          onRow: () => counter.stored(),
        })
      : await load(createSource(format, upload, parse(fileName).name), { draft, size, counter })
  return { first: draft.finish(author), tables, notes: notes.list }
}

interface Making {
  readonly draft: DocumentDraft
  readonly size: DocumentSize
  readonly counter: RowCounter
}

async function load(source: RowSource, { draft, size, counter }: Making) {
  const survey = new TableSurvey(settings, () => counter.read())
  await source(survey)
  const loader = new TableLoader(draft.writer, survey.plan, size, () => counter.stored())
  await source(loader)
  loader.finish()
  return loader.made
}

function createSource(
  format: Exclude<ImportFormat, 'sqlite'>,
  upload: string,
  name: string,
): RowSource {
  switch (format) {
    case 'csv':
      return delimitedRows(upload, name)
    case 'tsv':
      return delimitedRows(upload, name, '\t')
    case 'json':
      return jsonRows(upload, name)
    case 'xlsx':
      return workbookRows(upload)
  }
}

/** Counts rows and reports progress at intervals. */
class RowCounter {
  private rowsRead = 0
  private rowsStored = 0

  constructor(private readonly report: (progress: ImportProgress) => void) {}

  read(): void {
    if (++this.rowsRead % REPORT_ROWS === 0) this.reportProgress()
  }

  stored(): void {
    if (++this.rowsStored % REPORT_ROWS === 0) this.reportProgress()
  }

  private reportProgress(): void {
    this.report({ rowsRead: this.rowsRead, rowsStored: this.rowsStored })
  }
}
