/** The warnings and errors with one message of one process. */
export interface Repetition {
  lines: number
  stacks: number
}

/** Counts the warnings and errors in the output of Sheaf, by process and message. */
export function countRepetitions(output: string): ReadonlyMap<string, Repetition> {
  const found = new Map<string, Repetition>()
  for (const text of output.split('\n')) {
    const json = /\{"level":[45]0.*\}/.exec(text)?.[0]
    if (json === undefined) continue
    const line = JSON.parse(json) as { service: string; msg: string; err?: { stack?: string } }
    const kind = `${line.service}: ${line.msg}`
    const { lines, stacks } = found.get(kind) ?? { lines: 0, stacks: 0 }
    found.set(kind, { lines: lines + 1, stacks: stacks + (line.err?.stack === undefined ? 0 : 1) })
  }
  return found
}
