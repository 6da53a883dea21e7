import { resolve } from 'node:path'
import { InvalidArgumentError, type Command } from 'commander'
import { CliError } from '../cli-error'
import { readDelimiter } from '../csv/read-delimiter'
import { loadCsv, LoadInterrupted, type LoadResult, type LoadRequest } from '../load/load'
import { openLoadState } from '../load/load-state'
import { startProgress, type Progress } from '../load/progress'
import type { CliSettings } from '../settings'
import { createSheaf } from '../sheaf'
import type { Terminal } from '../terminal'
import { readWorkspaceId } from '../workspace'

interface LoadOptions extends Omit<LoadRequest, 'file'> {
  url?: string
  key?: string
  json?: boolean
}

/** Adds `load`, which uses only the public REST API. */
export function addLoadCommand(program: Command, settings: CliSettings, terminal: Terminal): void {
  program
    .command('load')
    .description('load a CSV file into a table through the REST API')
    .argument('<file>', 'the CSV file; its first line has the column names')
    .option('--doc <id>', 'document to load into (default: a new document)')
    .option(
      '--workspace <id>',
      'id of the workspace of a new document (default: first workspace of your site)',
      readWorkspaceId,
    )
    .option('--name <name>', 'name of a new document (default: file name)')
    .option('--table <name>', 'table to add the rows to, or name of a new table')
    .option('--text', 'use type Text for all columns instead of guessing types')
    .option('--delimiter <char>', 'delimiter of cells (default: detected)', readDelimiter)
    .option('--batch <rows>', 'rows per request (default: adapts to the server)', readBatch)
    .option('--resume', 'resume an interrupted load of this file')
    .option('--json', 'print only {"docId","tableId","rows","seconds"}')
    .option('--url <url>', 'URL of Sheaf (default: SHEAF_URL, or Sheaf on this machine)')
    .option('--key <key>', 'API key (default: SHEAF_API_KEY)')
    .addHelpText('after', () => examples(settings.invocation))
    .action((file: string, options: LoadOptions) => runLoad(file, options, { settings, terminal }))
}

function examples(invocation: string): string {
  return `
Examples:
  ${invocation} load cities.csv                         into a new document "cities"
  ${invocation} load cities.csv --doc ID --table Cities   into an existing document
  ${invocation} load cities.csv --resume                resume after an error

A column gets a type only if all its values are written that way; codes with leading
zeros and very long numbers stay Text. Every row is stored exactly once, even if a
response of the server is lost.`
}

async function runLoad(
  name: string,
  options: LoadOptions,
  { settings, terminal }: { settings: CliSettings; terminal: Terminal },
): Promise<void> {
  if (options.doc !== undefined && (options.workspace ?? options.name) !== undefined) {
    throw new CliError(
      '--workspace and --name apply to a new document and cannot be combined with --doc',
      2,
    )
  }
  const file = resolve(settings.workDir, name)
  const startedAt = performance.now()
  const sheaf = await createSheaf(settings, options)
  const state = await openLoadState(settings.cacheDir, file)
  let progress: Progress | undefined
  const stop = stopOnInterrupt(() => {
    progress?.stop()
    progress = undefined
    terminal.err('stopping after the current batch (^C again: at once)')
  })
  try {
    const loaded = await loadCsv(
      { ...options, file },
      {
        sheaf,
        state,
        signal: stop.signal,
        onStart: (total, stored) => {
          if (!options.json) progress = startProgress(terminal, total, stored)
        },
        onStored: (rows) => progress?.update(rows),
      },
    )
    progress?.stop()
    report(terminal, options, { ...loaded, ms: performance.now() - startedAt })
  } catch (error) {
    progress?.stop()
    if (!(error instanceof LoadInterrupted)) throw error
    const again = continueCommand(name, options, settings.invocation)
    throw new CliError(
      `${error.message}\n${error.stored} of ${error.total} rows are stored; to resume: ${again}`,
    )
  } finally {
    stop.release()
  }
}

function report(
  terminal: Terminal,
  options: LoadOptions,
  { docId, tableId, rows, ms }: LoadResult & { ms: number },
): void {
  const seconds = Math.round(ms) / 1000
  if (options.json) return terminal.out(JSON.stringify({ docId, tableId, rows, seconds }))
  const count = rows.toLocaleString('en-US')
  terminal.out(
    `loaded ${count} rows into table ${tableId} of document ${docId} (${seconds.toFixed(1)} s)`,
  )
}

/** Returns the command that resumes a load, without the key, which would remain in the shell's history. */
function continueCommand(name: string, options: LoadOptions, invocation: string): string {
  const parts = [invocation, 'load', quote(name), '--resume']
  if (options.url !== undefined) parts.push('--url', quote(options.url))
  if (options.delimiter !== undefined) parts.push('--delimiter', quote(options.delimiter))
  if (options.text) parts.push('--text')
  if (options.key !== undefined) parts.push('--key YOUR_KEY')
  return parts.join(' ')
}

/** Quotes text for a POSIX shell. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** The first ^C lets the current batch complete; a second one ends the command at once. */
function stopOnInterrupt(onStop: () => void) {
  const controller = new AbortController()
  const { signal } = controller
  const abort = () => {
    controller.abort()
    onStop()
  }
  process.once('SIGINT', abort)
  return {
    signal,
    release: () => process.removeListener('SIGINT', abort),
  }
}

function readBatch(text: string): number {
  const rows = Number(text)
  if (!/^\d+$/.test(text) || rows < 1 || rows > 100_000) {
    throw new InvalidArgumentError('Must be an integer from 1 to 100000.')
  }
  return rows
}
