import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'

/** The two engines, and `engines` for both or neither. */
export type EngineName = 'postgres' | 'nats'

/** Receives one sentence for each event of interest to an operator who watches the start. */
export type EngineLog = (line: { engine: EngineName | 'engines'; message: string }) => void

/** Large enough to explain a failure, small enough to be negligible on disk. */
const maxLogBytes = 8 * 1024 * 1024

/** Renames a log that exceeds the limit to `<file>.1`; called before an engine starts. */
export function rotateLog(file: string, maxBytes = maxLogBytes): void {
  if (existsSync(file) && statSync(file).size > maxBytes) renameSync(file, `${file}.1`)
}

/** Returns the last lines of an engine's own log, joined for use in an error message. */
export function lastLines(file: string, from = 0): string {
  if (!existsSync(file)) return ''
  const text = readFileSync(file).subarray(from).toString('utf8')
  return text.trim().split('\n').slice(-5).join(' | ')
}

/** Returns the offset of the next log line, with which `lastLines` omits earlier runs. */
export function logEnd(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}
