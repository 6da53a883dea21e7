import type { HomeDocument } from '@sheaf/protos/sheaf/directory/v1/homes'
import { openOperator } from '../operator'
import { findRunFile } from '../run-file'
import type { CliSettings } from '../settings'
import { readOperatorTarget } from '../target'
import { checkSnapshots, type SnapshotCheck } from './check-snapshots'
import { checkDocuments, type CheckOptions, type Finding } from './check-documents'
import { compareFiles, type KnownDocuments } from './compare-files'

const PATIENCE_MS = 5_000

/** The result of an examination. */
export interface DoctorReport {
  /** False when the system is not running or unreachable. */
  readonly running: boolean
  /** Number of documents whose files were checked. */
  readonly documents: number
  readonly findings: readonly Finding[]
}

/** Options of an examination. */
export interface ExaminationOptions extends CheckOptions {
  /** Name of the instance whose documents are in the data folder. */
  readonly home: string
  /** Called with the number of completed documents. */
  readonly onProgress: (done: number, total: number) => void
}

/** Examines the data folder and, when it is running, the system. Starts nothing and changes nothing. */
export async function examine(
  settings: CliSettings,
  options: ExaminationOptions,
): Promise<DoctorReport> {
  const findings: Finding[] = []
  // Rows first: a document created meanwhile then has its file before files are listed.
  const rows = await readRows(settings, options.home).catch((error: Error) => {
    findings.push({
      level: 'error',
      message: `the directory service is unavailable: ${error.message}`,
    })
    return undefined
  })
  const running = await examineSystem(settings, findings)
  if (!running && rows === undefined)
    findings.push({
      level: 'note',
      message: 'Sheaf is not running: only document files were checked, not the PostgreSQL data',
    })
  const files = new Set<string>()
  for await (const step of checkDocuments(settings, options)) {
    findings.push(...step.findings)
    if (step.docId !== undefined) files.add(step.docId)
    options.onProgress(files.size, step.total)
  }
  const snapshots = rows && (await examineSnapshots(settings, options.home, rows.keys(), findings))
  if (rows) findings.push(...compareFiles(rows, files, snapshots?.isReplicated === true))
  // Read again for documents created since: their files appeared after the rows were listed.
  if (rows && [...files].some((docId) => !rows.has(docId)))
    findings.push(...findStrays((await readRows(settings, options.home)) ?? rows, files))
  return { running, documents: files.size, findings }
}

/** Returns the documents of directory; undefined when Sheaf is not running. */
async function readRows(settings: CliSettings, home: string): Promise<KnownDocuments | undefined> {
  const runs = settings.directoryAddress ?? (await findRunFile(settings.dataDir))
  if (runs === undefined) return undefined
  await using operator = openOperator(await readOperatorTarget(settings))
  const rows = new Map<string, HomeDocument>()
  for await (const row of operator.listHomeDocuments(home)) rows.set(row.docId, row)
  return rows
}

async function examineSystem(settings: CliSettings, findings: Finding[]): Promise<boolean> {
  const url = settings.url ?? (await findRunFile(settings.dataDir).catch(() => undefined))?.url
  if (url === undefined) return false
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const response = await fetch(`${url.replace(/\/+$/, '')}/status?ready=1`, { signal })
    const text = await response.text()
    if (!response.ok) findings.push({ level: 'error', message: `Sheaf is not ready: ${text}` })
    else for (const message of readWarnings(text)) findings.push({ level: 'error', message })
    return true
  } catch (error) {
    const { message } = error as Error
    findings.push({ level: 'error', message: `${url} does not respond: ${message}` })
    return false
  }
}

/** The warnings of a Sheaf that is ready. */
function readWarnings(text: string): readonly string[] {
  const { warnings = [] } = JSON.parse(text) as { warnings?: readonly string[] }
  return warnings
}

async function examineSnapshots(
  settings: CliSettings,
  home: string,
  docIds: Iterable<string>,
  findings: Finding[],
): Promise<SnapshotCheck | undefined> {
  try {
    const check = await checkSnapshots(settings, home, docIds)
    findings.push(...check.findings)
    return check
  } catch (error) {
    const { message } = error as Error
    findings.push({ level: 'error', message: `the snapshots cannot be checked: ${message}` })
    return undefined
  }
}

function findStrays(rows: KnownDocuments, files: ReadonlySet<string>): Finding[] {
  return [...files]
    .filter((docId) => !rows.has(docId))
    .map((docId) => ({
      level: 'error',
      docId,
      message: `document ${docId}: it has a file but is unknown to the directory service`,
    }))
}
