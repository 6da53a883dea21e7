import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { CliError } from '../cli-error'

/**
 * The check program of document-data, which runs in its own process and prints a line of JSON per document.
 */
const program = join(__dirname, '../../../../services/document-data/dist/check.js')

/** A finding of a check. */
export interface Finding {
  /** An error requires action; a note only explains. */
  readonly level: 'error' | 'note'
  readonly docId?: string
  readonly message: string
}

/** How thorough a check is. */
export interface CheckOptions {
  /** Also verifies indexes against their tables. */
  readonly full: boolean
  /** Also makes each document again from its base and its log, and compares. */
  readonly replay: boolean
  /** Also computes all formulas again, and compares. */
  readonly formulas: boolean
}

/** One step of a check: the folder first, then each document. */
export interface CheckStep {
  readonly total: number
  readonly docId?: string
  readonly findings: readonly Finding[]
}

/**
 * Checks the documents of a data folder, whether or not Sheaf is running. Throws CliError when the check
 * itself fails.
 */
export async function* checkDocuments(
  dataDir: string,
  { full, replay, formulas }: CheckOptions,
): AsyncGenerator<CheckStep> {
  const flags = [
    ...(full ? ['--full'] : []),
    ...(replay ? ['--replay'] : []),
    ...(formulas ? ['--formulas'] : []),
  ]
  const child = spawn(process.execPath, [program, dataDir, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  const closed = once(child, 'close')
  try {
    for await (const line of createInterface(child.stdout)) yield JSON.parse(line) as CheckStep
  } finally {
    child.kill()
  }
  const [code] = (await closed) as [number | null]
  if (code !== 0) throw new CliError(`failed to check the documents: ${complaints.trim()}`)
}
