import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import { CliError } from '../cli-error'
import { getFirstWorkspace } from '../first-workspace'
import { startImportProgress } from '../import/import-progress'
import { importUpload, type ImportedDocument } from '../import/import-upload'
import { createRestClient } from '../rest-client'
import type { CliSettings } from '../settings'
import { readRestTarget } from '../target'
import type { Terminal } from '../terminal'

interface ImportOptions {
  workspace?: string
  name?: string
  url?: string
  key?: string
  json?: boolean
}

/** Adds `import`, which uses only the public REST API. */
export function addImportCommand(
  program: Command,
  settings: CliSettings,
  terminal: Terminal,
): void {
  program
    .command('import')
    .description('make a document of a file: CSV, TSV, XLSX, JSON, or SQLite from Sheaf')
    .argument('<file>', 'the file; the end of its name tells what it is')
    .option(
      '--workspace <id>',
      'workspace of the document; the first one of your site unless given',
    )
    .option('--name <name>', 'name of the document; that of the file unless given')
    .option('--json', 'print {"id","title","tables"} and nothing else')
    .option('--url <url>', 'address of the Sheaf; SHEAF_URL or that of this machine unless given')
    .option('--key <key>', 'API key; SHEAF_API_KEY unless given')
    .addHelpText(
      'after',
      `
The server takes the whole file at once, or nothing of it. For rows of a CSV file that
are to go into a document that exists, and for files that are larger than the server takes,
there is \`${settings.invocation} load\`.`,
    )
    .action((file: string, options: ImportOptions) =>
      runImport(file, options, { settings, terminal }),
    )
}

async function runImport(
  name: string,
  options: ImportOptions,
  { settings, terminal }: { settings: CliSettings; terminal: Terminal },
): Promise<void> {
  const path = resolve(settings.workDir, name)
  const size = await readSize(path)
  const target = await readRestTarget(settings, options)
  const workspace = options.workspace ?? (await getFirstWorkspace(createRestClient(target)))
  const startedAt = performance.now()
  const silent = { sent: () => {}, rows: () => {}, stop: () => {} }
  const progress = options.json ? silent : startImportProgress(terminal, size)
  try {
    const upload = { path, fileName: basename(path), size, workspace, name: options.name }
    const made = await importUpload(target, upload, progress)
    progress.stop()
    report(terminal, options, made, performance.now() - startedAt)
  } finally {
    progress.stop()
  }
}

function report(
  terminal: Terminal,
  { json }: ImportOptions,
  { id, title, tables }: ImportedDocument,
  ms: number,
): void {
  if (json) return terminal.out(JSON.stringify({ id, title, tables }))
  for (const table of tables)
    terminal.out(`${table.rows.toLocaleString('en-US')} rows are in table ${table.id}`)
  terminal.out(`made document ${id}, "${title}" (${(ms / 1000).toFixed(1)} s)`)
}

async function readSize(path: string): Promise<number> {
  const found = await stat(path).catch((error: { code?: string }) => {
    throw new CliError(
      error.code === 'ENOENT' ? `there is no file ${path}` : `${path} may not be read`,
    )
  })
  if (found.isDirectory()) throw new CliError(`${path} is a folder`)
  return found.size
}
