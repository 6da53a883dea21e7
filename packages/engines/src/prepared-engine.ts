import type { EngineLog } from './engine-log'
import type { EngineProcess } from './engine-process'
import type { EngineState } from './engine-state'

/** What is needed to prepare an engine; `save` persists changes of `state` for the next start. */
export interface EngineSetting {
  dataDir: string
  cacheDir: string
  /** The PATH to search for installed programs. */
  path?: string
  state: EngineState
  save: () => Promise<void>
  log: EngineLog
}

/** An engine whose programs and data are in place; only its port is open. */
export interface PreparedEngine {
  url(port: number): string
  start(port: number): Promise<EngineProcess>
}
