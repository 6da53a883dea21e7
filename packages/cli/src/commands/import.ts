import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import { CliError } from '../cli-error'
import { startImportProgress } from '../import/import-progress'
import { importUpload, type ImportedDocument } from '../import/import-upload'
import type { CliSettings } from '../settings'
import { sheafOf } from '../sheaf'
import { readRestTarget } from '../target'
import type { Terminal } from '../terminal'
import { getFirstWorkspace, readWorkspaceId } from '../workspace'

interface ImportOptions {
  workspace?: number
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
    .description(
      'import a file as a new document: CSV, TSV, XLSX, JSON, a Grist document, or SQLite',
    )
    .argument('<file>', 'the file; its extension gives the format')
    .option(
      '--workspace <id>',
      'id of the workspace (default: first workspace of your site)',
      readWorkspaceId,
    )
    .option('--name <name>', 'name of the document (default: file name)')
    .option('--json', 'print only {"id","title","tables","notes"}')
    .option('--url <url>', 'URL of Sheaf (default: SHEAF_URL, or Sheaf on this machine)')
    .option('--key <key>', 'API key (default: SHEAF_API_KEY)')
    .addHelpText(
      'after',
      `
The server imports the whole file or nothing. What of a Grist document or a SQLite file has no
counterpart, such as pages, access rules and views, is left out and listed. To add rows of a CSV file to an existing
document, or to load a file that exceeds the import limit of the server, use
\`${settings.invocation} load\`.`,
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
  const sheaf = sheafOf(target)
  const workspace = options.workspace ?? (await getFirstWorkspace(sheaf))
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
  { id, title, tables, notes }: ImportedDocument,
  ms: number,
): void {
  if (json) return terminal.out(JSON.stringify({ id, title, tables, notes }))
  for (const table of tables)
    terminal.out(`${table.rows.toLocaleString('en-US')} rows in table ${table.id}`)
  for (const note of notes) terminal.out(note)
  terminal.out(`created document ${id}, "${title}" (${(ms / 1000).toFixed(1)} s)`)
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
