import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'

/** The two engines, and `engines` for what concerns both or neither. */
export type EngineName = 'postgres' | 'nats'

/** Receives one sentence for each event that a person watching the start would want to know of. */
export type EngineLog = (line: { engine: EngineName | 'engines'; message: string }) => void

/** Large enough for the story of a failure, small enough to be forgotten on a disk. */
const maxLogBytes = 8 * 1024 * 1024

/** Sets a log that has grown too long aside as `<file>.1`; called before an engine is started. */
export function rotateLog(file: string, maxBytes = maxLogBytes): void {
  if (existsSync(file) && statSync(file).size > maxBytes) renameSync(file, `${file}.1`)
}

/** The last lines of an engine's own log, joined to fit into an error sentence. */
export function lastLines(file: string, from = 0): string {
  if (!existsSync(file)) return ''
  const text = readFileSync(file).subarray(from).toString('utf8')
  return text.trim().split('\n').slice(-5).join(' | ')
}

/** Where the next line of the log will begin, so that `lastLines` can leave out earlier runs. */
export function logEnd(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}
