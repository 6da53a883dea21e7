import type { Command } from 'commander'
import { CliError } from '../cli-error'
import { findRunFile } from '../run-file'
import type { CliSettings } from '../settings'
import { getRunFile } from '../target'
import type { Terminal } from '../terminal'

const PATIENCE_MS = 5_000

/** What `status --json` prints. */
interface Status {
  url: string
  alive: boolean
  ready: boolean
  /** The server's own report about its components. */
  detail: unknown
  pids?: Readonly<Record<string, number>>
}

/** Adds `status`, which exits with 1 unless everything is ready. */
export function addStatusCommand(
  program: Command,
  settings: CliSettings,
  terminal: Terminal,
): void {
  program
    .command('status')
    .description('show liveness and readiness; exits with 1 unless everything is ready')
    .option('--url <url>', 'URL of Sheaf (default: Sheaf on this machine)')
    .option('--json', 'print {"url","alive","ready","detail","pids"}')
    .action(async (options: { url?: string; json?: boolean }) => {
      const status = await readStatus(settings, options.url ?? settings.url)
      terminal.out(options.json ? JSON.stringify(status) : describeStatus(status))
      if (!status.ready) throw new CliError(options.json ? '' : 'Sheaf is not ready')
    })
}

async function readStatus(settings: CliSettings, given?: string): Promise<Status> {
  const run = given === undefined ? await getRunFile(settings) : await findLocalRun(settings, given)
  const url = (given ?? run?.url ?? '').replace(/\/+$/, '')
  const alive = await ask(`${url}/status`)
  const ready = alive.ok ? await ask(`${url}/status?ready=1`) : alive
  return { url, alive: alive.ok, ready: ready.ok, detail: ready.detail, pids: run?.pids }
}

/** Returns the run file if the address is that of the Sheaf on this machine. */
async function findLocalRun({ dataDir }: CliSettings, url: string) {
  const run = await findRunFile(dataDir).catch(() => undefined)
  return run?.url === url ? run : undefined
}

async function ask(url: string): Promise<{ ok: boolean; detail: unknown }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
    return { ok: response.ok, detail: readDetail(await response.text()) }
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } }
    return { ok: false, detail: cause?.code ?? message }
  }
}

function readDetail(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function describeStatus({ url, alive, ready, detail, pids }: Status): string {
  const lines = [`${url}  ${ready ? 'ready' : alive ? 'alive, not ready' : 'not reachable'}`]
  if (!ready) lines.push(`  ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`)
  else for (const warning of warningsOf(detail)) lines.push(`  WARNING  ${warning}`)
  for (const [name, pid] of Object.entries(pids ?? {})) lines.push(`  ${name.padEnd(14)} ${pid}`)
  return lines.join('\n')
}

function warningsOf(detail: unknown): readonly string[] {
  if (typeof detail !== 'object' || detail === null) return []
  return (detail as { warnings?: readonly string[] }).warnings ?? []
}
