import { parse } from 'node:path'
import type { FirstEntry } from '../store/log/first-entries'
import type { Author } from '../store/log/log'
import type { AppendTarget } from './append-target'
import type { LoadedTable } from './copy-document'
import { DocumentDraft } from './document-draft'
import { DocumentSize } from './document-size'
import { findFormat } from './import-format'
import { ImportNotes } from './import-notes'
import type { ImportOptions, UsedOptions } from './import-options'
import { importSqlite } from './import-sqlite'
import { TableLoader } from './load-tables'
import { openSource } from './open-source'
import { previewTables, type PreviewedTable } from './preview-tables'
import { SAMPLE_ROWS, TableSurvey } from './table-survey'

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
  /** How the file is read. */
  readonly options?: ImportOptions
  /** Given when the tables or rows go into a document that exists; the created file is only a draft of them then. */
  readonly into?: { readonly append: AppendTarget | undefined }
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

/** What an import would create. */
export interface Previewed {
  readonly format: 'csv' | 'tsv' | 'json' | 'xlsx' | 'sqlite' | 'sheaf' | 'grist'
  readonly used: UsedOptions
  readonly tables: readonly PreviewedTable[]
  readonly notes: readonly string[]
}

/** Default settings of new documents. */
const settings = { timezone: 'UTC', locale: 'en-US' }
/** Rows between two progress reports. */
const REPORT_ROWS = 2_000

type Report = (progress: ImportProgress) => void

/**
 * Creates the file of a document from an upload. The upload may be hostile, so this runs in a separate
 * process. Throws AppError for faults of the upload.
 * @param size counts what is stored; tests pass one with a lower limit
 */
export async function importFile(
  request: ImportRequest,
  report: Report,
  size = new DocumentSize(),
): Promise<Imported> {
  const { target, author, documentFormat } = request
  using draft = DocumentDraft.create(target, settings, documentFormat)
  const { tables, notes } = await fill(draft, request, { report, size, isPreview: false })
  return { first: draft.finish(author), tables, notes }
}

/**
 * Reads an upload as `importFile` does and returns the tables with their first rows. The file at `target` is not a
 * document, and of no use. Throws AppError for faults of the upload.
 */
export async function previewFile(request: ImportRequest, report: Report): Promise<Previewed> {
  using draft = DocumentDraft.create(request.target, settings, request.documentFormat)
  const filling = { report, size: new DocumentSize(), isPreview: true }
  const { tables, ...rest } = await fill(draft, request, filling)
  return { ...rest, tables: previewTables(draft.writer, tables) }
}

interface Filling {
  readonly report: Report
  readonly size: DocumentSize
  /** True to store the first rows of each table only. */
  readonly isPreview: boolean
}

type Filled = Omit<Previewed, 'tables'> & { readonly tables: readonly LoadedTable[] }

async function fill(
  { writer }: DocumentDraft,
  { upload, fileName, options = {}, into }: ImportRequest,
  { report, size, isPreview }: Filling,
): Promise<Filled> {
  const counter = new RowCounter(report)
  const onRead = () => counter.read()
  const onRow = () => counter.stored()
  const format = await findFormat(upload, fileName)
  const types = { chosen: options.types, append: into?.append }
  if (format === 'sqlite') {
    const notes = new ImportNotes()
    const mostRows = isPreview ? SAMPLE_ROWS : undefined
    const copy = { size, notes, onRead, onRow, mostRows, types, isInto: into !== undefined }
    const { kind, tables } = await importSqlite(upload, writer, copy)
    return { format: kind === 'other' ? format : kind, used: {}, tables, notes: notes.list }
  }
  const { rows, used } = await openSource(format, upload, parse(fileName).name, options)
  const { decimal = '.' } = used
  const survey = new TableSurvey({ settings, decimal, hasSample: isPreview, onRow: onRead })
  await rows(survey)
  const loader = new TableLoader(writer, survey.plan, {
    decimal,
    types,
    size,
    onRow,
  })
  await (isPreview ? survey.replay(loader) : rows(loader))
  loader.finish()
  const tables = isPreview
    ? loader.made.map(({ id }, i) => ({ id, rows: survey.plan[i]?.rows ?? 0 }))
    : loader.made
  return { format, used, tables, notes: [] }
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
