import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from './engine-error'

/** State kept between starts; it holds passwords, so the file is readable by its owner only. */
export interface EngineState {
  postgres?: {
    password: string
    port?: number
    /** Set when the data is outside the data folder. */
    folder?: string
  }
  nats?: { user: string; password: string; port?: number }
}

/** Reads the state from `<dataDir>/engines.json`; empty before the first start. */
export async function readState(dataDir: string): Promise<EngineState> {
  const file = stateFile(dataDir)
  try {
    return JSON.parse(await readFile(file, 'utf8')) as EngineState
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    if (error instanceof SyntaxError) throw new EngineError(`${file} is not valid JSON`)
    throw error
  }
}

/** Replaces the state atomically. */
export async function writeState(dataDir: string, state: EngineState): Promise<void> {
  const draft = `${stateFile(dataDir)}.draft`
  await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flush: true })
  await chmod(draft, 0o600) // a draft left by a crash would keep its mode
  await rename(draft, stateFile(dataDir))
}

function stateFile(dataDir: string): string {
  return join(dataDir, 'engines.json')
}
