import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { CliError } from '../cli-error'
import type { CliSettings } from '../settings'
import { createSheaf } from '../sheaf'
import type { Terminal } from '../terminal'

interface TypesOptions {
  python?: boolean
  check?: string
  url?: string
  key?: string
}

/** Adds `types`, which uses only the public REST API. */
export function addTypesCommand(program: Command, settings: CliSettings, terminal: Terminal): void {
  program
    .command('types')
    .description('print types of the tables of a document, for TypeScript or Python')
    .argument('<document>', 'id of the document')
    .option('--python', 'Python instead of TypeScript')
    .option('--check <file>', 'print nothing, and fail if the types in the file are outdated')
    .option('--url <url>', 'URL of Sheaf (default: SHEAF_URL, or Sheaf on this machine)')
    .option('--key <key>', 'API key (default: SHEAF_API_KEY)')
    .addHelpText(
      'after',
      `
Examples:
  ${settings.invocation} types ID > src/document.ts
  ${settings.invocation} types ID --check src/document.ts    exit code 1 if tables have changed since`,
    )
    .action((document: string, options: TypesOptions) =>
      runTypes(document, options, { settings, terminal }),
    )
}

async function runTypes(
  document: string,
  options: TypesOptions,
  { settings, terminal }: { settings: CliSettings; terminal: Terminal },
): Promise<void> {
  const sheaf = await createSheaf(settings, options)
  const name = options.python ? 'types.py' : 'types.ts'
  const path = `/api/docs/${encodeURIComponent(document)}/${name}`
  const types = await sheaf.text({ method: 'GET', path })
  if (options.check === undefined) return terminal.out(types.trimEnd())
  const stored = await readStored(resolve(settings.workDir, options.check))
  if (normalize(stored) === normalize(types)) return
  throw new CliError(`${options.check} is outdated: tables of the document have changed`)
}

/** Git and editors may convert line ends. */
const normalize = (text: string) => text.replaceAll('\r\n', '\n').trimEnd()

async function readStored(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CliError(`failed to read the types: ${(error as Error).message}`)
  }
}
