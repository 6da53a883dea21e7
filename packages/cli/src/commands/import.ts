import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { CliError } from '../cli-error'
import { readDelimiter } from '../csv/read-delimiter'
import { importFields, type ImportArguments } from '../import/import-fields'
import { startImportProgress } from '../import/import-progress'
import { describeAnswer, toJson } from '../import/import-report'
import { importUpload } from '../import/import-upload'
import type { CliSettings } from '../settings'
import { sheafOf } from '../sheaf'
import { readRestTarget } from '../target'
import type { Terminal } from '../terminal'
import { getFirstWorkspace, readWorkspaceId } from '../workspace'

interface ImportCommandOptions extends ImportArguments {
  readonly url?: string
  readonly key?: string
  readonly json?: boolean
}

/** Adds `import`, which uses only the public REST API. */
export function addImportCommand(
  program: Command,
  settings: CliSettings,
  terminal: Terminal,
): void {
  program
    .command('import')
    .description(
      'import a file as a new document or into one: CSV, TSV, XLSX, JSON, a Grist document, or SQLite',
    )
    .argument('<file>', 'the file; its extension gives the format')
    .option(
      '--workspace <id>',
      'id of the workspace (default: first workspace of your site)',
      readWorkspaceId,
    )
    .option('--name <name>', 'name of the document (default: file name)')
    .option('--doc <id>', 'document to add the tables of the file to')
    .option('--table <id>', 'table of this document to append the rows to')
    .option('--source <id>', 'table of the file, as in the preview, if it has several')
    .option(
      '--columns <json>',
      'columns of the table by column of the file: {"Item":"Product","Note":null}; null leaves one out',
      readObject,
    )
    .addOption(
      new Option(
        '--unknown-columns <choice>',
        'columns that the table does not have (default: refuse)',
      ).choices(['refuse', 'ignore', 'add']),
    )
    .option('--preview', 'print the tables and types that the file would become; import nothing')
    .option(
      '--delimiter <char>',
      'character between the cells of CSV and TSV, or tab (default: detected)',
      readDelimiter,
    )
    .option('--no-header', 'the first row is data and does not name the columns')
    .addOption(
      new Option('--decimal <char>', 'decimal separator of numbers (default: detected)').choices([
        '.',
        ',',
      ]),
    )
    .option('--encoding <name>', 'such as windows-1252 (default: detected)')
    .option(
      '--types <json>',
      'types by table and column of the preview: {"People":{"Code":"Text"}}',
      readObject,
    )
    .option('--json', 'print only the response of the API')
    .option('--url <url>', 'URL of Sheaf (default: SHEAF_URL, or Sheaf on this machine)')
    .option('--key <key>', 'API key (default: SHEAF_API_KEY)')
    .addHelpText('after', () => examples(settings.invocation))
    .action((file: string, options: ImportCommandOptions) =>
      runImport(file, options, { settings, terminal }),
    )
}

function examples(invocation: string): string {
  return `
Examples:
  ${invocation} import prices.csv                          as a new document "prices"
  ${invocation} import prices.csv --preview --decimal ,    show what it would become
  ${invocation} import prices.csv --doc ID                 as a new table of a document
  ${invocation} import june.csv --doc ID --table Sales --unknown-columns ignore

The server imports the whole file or nothing, and at most 100,000 rows into a document. What of a Grist
document or a SQLite file has no counterpart, such as pages, access rules and views, is left out and
listed. For a CSV file that exceeds the limits of the server, use \`${invocation} load\`.`
}

async function runImport(
  name: string,
  options: ImportCommandOptions,
  { settings, terminal }: { settings: CliSettings; terminal: Terminal },
): Promise<void> {
  // An option `--no-header` is true unless it is given; then the server decides.
  const fields = importFields({ ...options, header: options.header === false ? false : undefined })
  const path = resolve(settings.workDir, name)
  const size = await readSize(path)
  const target = await readRestTarget(settings, options)
  const place = options.doc
    ? `/api/docs/${encodeURIComponent(options.doc)}`
    : `/api/workspaces/${options.workspace ?? (await getFirstWorkspace(sheafOf(target)))}`
  const apiPath = `${place}/import${options.preview ? '/preview' : ''}`
  const startedAt = performance.now()
  const silent = { sent: () => {}, rows: () => {}, stop: () => {} }
  const progress = options.json ? silent : startImportProgress(terminal, size)
  try {
    const upload = { path, fileName: basename(path), size, apiPath, fields }
    const answer = await importUpload(target, upload, progress)
    progress.stop()
    const seconds = (performance.now() - startedAt) / 1000
    if (options.json) terminal.out(toJson(answer))
    else describeAnswer(answer, options.doc ?? '', seconds).forEach((line) => terminal.out(line))
  } finally {
    progress.stop()
  }
}

/** Reads an object from an option. */
function readObject(text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It must be JSON.')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new InvalidArgumentError('It must be a JSON object.')
}

async function readSize(path: string): Promise<number> {
  const found = await stat(path).catch((error: { code?: string }) => {
    throw new CliError(
      error.code === 'ENOENT' ? `file not found: ${path}` : `permission denied: ${path}`,
    )
  })
  if (found.isDirectory()) throw new CliError(`${path} is a folder`)
  return found.size
}
