import type { EngineLog } from './engine-log'
import type { EngineProcess } from './engine-process'
import type { EngineState } from './engine-state'

/** What an engine needs to be prepared; `save` keeps changes of `state` for the next start. */
export interface EngineSetting {
  dataDir: string
  cacheDir: string
  /** The PATH to search for programs that the machine may have. */
  path?: string
  state: EngineState
  save: () => Promise<void>
  log: EngineLog
}

/** An engine whose programs and data are in place; it only lacks a port. */
export interface PreparedEngine {
  url(port: number): string
  start(port: number): Promise<EngineProcess>
}
