import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Connects the operator's commands to a running Sheaf on the same machine: `<data>/run.json`, readable by its
 * user only, written when everything is ready and removed at shutdown.
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
  /** Process ids by name; `standalone` supervises the others. */
  readonly pids: { readonly standalone: number; readonly [service: string]: number }
  /** ISO 8601 time, UTC. */
  readonly startedAt: string
}

/** Returns the path of a data folder's run file. */
export function runFilePath(dataDir: string): string {
  return join(dataDir, 'run.json')
}

/** Returns the path of the key that the services of one Sheaf share; readable by its user only. */
export function serviceKeyPath(dataDir: string): string {
  return join(dataDir, 'service-key')
}

/** Replaces the run file atomically. */
export async function writeRunFile(dataDir: string, run: RunFile): Promise<void> {
  const draft = `${runFilePath(dataDir)}.${process.pid}.draft`
  await writeFile(draft, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, runFilePath(dataDir))
}

/** Removes the run file, if there is one. */
export async function removeRunFile(dataDir: string): Promise<void> {
  await rm(runFilePath(dataDir), { force: true })
}

/** Returns the run file of a running Sheaf; undefined when there is none, or only one left by a crash. */
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
    return (error as NodeJS.ErrnoException).code === 'EPERM' // it is running, as another user
  }
}
