import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * What a running Sheaf on one machine tells the operator's command: `<data>/run.json`, readable by its user alone,
 * written when everything is ready and removed when it stops.
 */
export interface RunFile {
  /** Base address of the REST API. */
  readonly url: string
  /** `host:port` of each service. */
  readonly addresses: {
    readonly directory: string
    readonly documentData: string
    readonly webhook: string
  }
  /** Processes by name; `standalone` is the one that supervises the others. */
  readonly pids: { readonly standalone: number; readonly [service: string]: number }
  /** ISO 8601 time, UTC. */
  readonly startedAt: string
}

/** Where the run file of a data folder is. */
export function runFilePath(dataDir: string): string {
  return join(dataDir, 'run.json')
}

/** Where the key that the services of one Sheaf share is kept; readable by its user alone. */
export function serviceKeyPath(dataDir: string): string {
  return join(dataDir, 'service-key')
}

/** Replaces the run file as a whole. */
export async function writeRunFile(dataDir: string, run: RunFile): Promise<void> {
  const draft = `${runFilePath(dataDir)}.${process.pid}.draft`
  await writeFile(draft, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, runFilePath(dataDir))
}

/** Removes the run file, if there is one. */
export async function removeRunFile(dataDir: string): Promise<void> {
  await rm(runFilePath(dataDir), { force: true })
}

/** The run file of a Sheaf that runs now; undefined when there is none, or only one that a crash left behind. */
export async function findRunFile(dataDir: string): Promise<RunFile | undefined> {
  let text: string
  try {
    text = await readFile(runFilePath(dataDir), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const run = JSON.parse(text) as RunFile
  return isRunning(run.pids.standalone) ? run : undefined
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // it runs, as another user
  }
}
