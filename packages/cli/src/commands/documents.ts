import type { RowOperation, SchemaOperation, Sheaf } from '@sheaf/client'
import { InvalidArgumentError, type Command } from 'commander'
import { changeLine } from '../history/change-line'
import { differenceLines } from '../history/difference-lines'
import type { CliSettings } from '../settings'
import { createSheaf } from '../sheaf'
import { formatTable, type Terminal } from '../terminal'
import { addDeletedDocumentsCommands } from './deleted-documents'
import { addPlacesCommands } from './document-places'

/** Changes that `log` prints by default, and most rows of a request. */
const CHANGES = 20
const PAGE_ROWS = 10_000

interface RestOptions {
  url?: string
  key?: string
}

interface LogOptions extends RestOptions {
  table?: string
  limit: number
  json?: boolean
}

interface CompareOptions extends RestOptions {
  from: string
  to?: string
  table?: string
  summary?: boolean
  json?: boolean
}

interface RestoreOptions extends RestOptions {
  to: string
  table?: string
  dryRun?: boolean
}

interface Environment {
  readonly settings: CliSettings
  readonly terminal: Terminal
}

/** Adds the commands of documents; `log`, `compare` and `restore` use only the public REST API. */
export function addDocumentsCommands(
  program: Command,
  settings: CliSettings,
  terminal: Terminal,
): void {
  const documents = program
    .command('documents')
    .description('history of documents, and where they are')
  addPlacesCommands(documents, { settings, terminal })
  addDeletedDocumentsCommands(documents, { settings, terminal })
  addLog(documents, { settings, terminal })
  addCompare(documents, { settings, terminal })
  addRestore(documents, { settings, terminal })
}

function addLog(documents: Command, environment: Environment): void {
  documents
    .command('log')
    .description('print the changes of a document, newest first')
    .argument('<document>', 'id of the document')
    .option('--table <table>', 'only changes of this table')
    .option('--limit <number>', 'most changes to print', readLimit, CHANGES)
    .option('--json', 'print each change as a line of JSON')
    .option('--url <url>', 'URL of Sheaf (default: SHEAF_URL, or Sheaf on this machine)')
    .option('--key <key>', 'API key (default: SHEAF_API_KEY)')
    .action((document: string, options: LogOptions) => printLog(document, options, environment))
}

function addCompare(documents: Command, environment: Environment): void {
  const { invocation } = environment.settings
  documents
    .command('compare')
    .description('print what differs between two moments of a document')
    .argument('<document>', 'id of the document')
    .requiredOption('--from <moment>', 'seq of a change, or a time by RFC 3339')
    .option('--to <moment>', 'the other moment (default: now)')
    .option('--table <table>', 'only this table')
    .option('--summary', 'print only how many columns and rows differ')
    .option('--json', 'print JSON: the moments, then each difference on a line')
    .option('--url <url>', 'URL of Sheaf (default: SHEAF_URL, or Sheaf on this machine)')
    .option('--key <key>', 'API key (default: SHEAF_API_KEY)')
    .addHelpText(
      'after',
      `
Examples:
  ${invocation} documents compare ID --from 2026-03-01T09:30:00Z
  ${invocation} documents compare ID --from 120 --to 140 --summary`,
    )
    .action((document: string, options: CompareOptions) =>
      printComparison(document, options, environment),
    )
}

function addRestore(documents: Command, environment: Environment): void {
  const { invocation } = environment.settings
  documents
    .command('restore')
    .description('undo all changes of a document after a moment, by one change that can be undone')
    .argument('<document>', 'id of the document')
    .requiredOption('--to <moment>', 'seq of a change, or a time by RFC 3339')
    .option('--table <table>', 'restore only this table')
    .option('--dry-run', 'change nothing, print what would change')
    .option('--url <url>', 'URL of Sheaf (default: SHEAF_URL, or Sheaf on this machine)')
    .option('--key <key>', 'API key (default: SHEAF_API_KEY)')
    .addHelpText(
      'after',
      `
Examples:
  ${invocation} documents restore ID --to 2026-03-01T09:30:00Z --dry-run
  ${invocation} documents restore ID --to 120 --table People`,
    )
    .action((document: string, options: RestoreOptions) => restore(document, options, environment))
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new InvalidArgumentError('It must be a positive integer.')
  return limit
}

async function printLog(
  document: string,
  options: LogOptions,
  { settings, terminal }: Environment,
): Promise<void> {
  const sheaf = await createSheaf(settings, options)
  const { table: tableId, limit } = options
  for await (const change of sheaf.doc(document).history({ tableId, limit }))
    terminal.out(options.json ? JSON.stringify(change) : changeLine(change))
}

async function restore(
  document: string,
  options: RestoreOptions,
  { settings, terminal }: Environment,
): Promise<void> {
  const doc = (await createSheaf(settings, options)).doc(document)
  const { to, table: tableId, dryRun } = options
  const { change } = await doc.dryRun((trial) => trial.restore(to, { tableId }))
  if (change === null) return terminal.out('nothing has changed since that moment')
  if (!dryRun) {
    const seq = await doc.restore(to, { tableId })
    return terminal.out(`restored: the document is at change ${seq}, whose undo takes this back`)
  }
  if (change.truncated) return terminal.out('more would change than can be shown')
  for (const operation of change.operations) terminal.out(differenceLines(operation).join('\n'))
}

interface ComparedMoment {
  readonly seq: number
  readonly time: string
}

interface Compared {
  readonly from: ComparedMoment
  readonly to: ComparedMoment
}

interface ComparisonPage extends Compared {
  readonly operations: readonly (RowOperation | SchemaOperation)[]
  readonly nextCursor: string | null
}

interface Counts {
  readonly added: number
  readonly removed: number
  readonly changed: number
}

interface ComparisonSummary extends Compared {
  readonly tables: readonly {
    readonly tableId: string
    readonly change: string
    readonly columns: Counts
    readonly rows: Counts
  }[]
}

async function printComparison(
  document: string,
  options: CompareOptions,
  { settings, terminal }: Environment,
): Promise<void> {
  const sheaf = await createSheaf(settings, options)
  const path = `/api/docs/${encodeURIComponent(document)}/compare`
  const { from, to, table: tableId, summary, json } = options
  if (!summary) {
    let hasAny = false
    for await (const { operations, ...moments } of readPages(sheaf, path, { from, to, tableId })) {
      if (json && !hasAny) terminal.out(JSON.stringify({ from: moments.from, to: moments.to }))
      hasAny = true
      for (const operation of operations)
        terminal.out(json ? JSON.stringify(operation) : differenceLines(operation).join('\n'))
    }
    return
  }
  const query = { from, to, tableId, summary: true }
  const counts = await sheaf.request<ComparisonSummary>({ method: 'GET', path, query })
  terminal.out(json ? JSON.stringify(counts) : formatSummary(counts))
}

async function* readPages(
  sheaf: Sheaf,
  path: string,
  asked: Readonly<Record<'from' | 'to' | 'tableId', string | undefined>>,
): AsyncGenerator<ComparisonPage> {
  let cursor: string | null | undefined
  while (cursor !== null) {
    const query = { ...asked, limit: PAGE_ROWS, cursor }
    const page: ComparisonPage = await sheaf.request({ method: 'GET', path, query })
    yield page
    cursor = page.nextCursor
  }
}

function formatSummary({ from, to, tables }: ComparisonSummary): string {
  const head = `change ${from.seq} (${from.time}) → change ${to.seq} (${to.time})`
  if (tables.length === 0) return `${head}\nno differences`
  const text = ({ added, removed, changed }: Counts) => `+${added} -${removed} ~${changed}`
  const rows = tables.map(({ tableId, change, columns, rows: counts }) => [
    tableId,
    change === 'none' ? '' : change,
    text(columns),
    text(counts),
  ])
  return `${head}\n${formatTable(['TABLE', 'CHANGE', 'COLUMNS', 'ROWS'], rows)}`
}
