import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProcesses } from '@sheaf/engines/process-table'

/** An engine that a Sheaf can start itself. */
export type EngineName = 'postgres' | 'nats'

interface EngineState {
  readonly postgres?: { readonly folder?: string; readonly password?: string }
  readonly nats?: { readonly user: string; readonly password: string; readonly port?: number }
}

/**
 * Returns the pid of an engine that the Sheaf with this data folder has started; undefined when it is not
 * running.
 */
export function findEngine(dataDir: string, name: EngineName): number | undefined {
  const [found] =
    name === 'nats'
      ? findProcesses('nats-server', join(dataDir, 'nats', 'nats.conf'))
      : findProcesses('postgres', readState(dataDir).postgres?.folder ?? join(dataDir, 'postgres'))
  return found?.pid
}

/** Returns the address of the NATS that the Sheaf with this data folder has started. */
export function readNatsUrl(dataDir: string): string {
  const { nats } = readState(dataDir)
  if (!nats?.port) throw new Error('this Sheaf has no NATS of its own')
  return `nats://${nats.user}:${nats.password}@127.0.0.1:${nats.port}`
}

/** Returns the address of the database that the Sheaf with this data folder has started; it may be another one after a restart. */
export function readDatabaseUrl(dataDir: string): string {
  const { folder = join(dataDir, 'postgres'), password } = readState(dataDir).postgres ?? {}
  if (password === undefined) throw new Error('this Sheaf has no PostgreSQL of its own')
  // Its fourth line is the port.
  const port = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[3]
  return `postgres://sheaf:${password}@127.0.0.1:${port}/sheaf`
}

function readState(dataDir: string): EngineState {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'engines.json'), 'utf8')) as EngineState
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
