import { readdirSync, readFileSync } from 'node:fs'

/** Pids of the evaluators of formulas that a process has started; empty on systems without /proc. */
export function findEvaluators(parent: number): number[] {
  const found: number[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const { parentPid, program } = readProcess(pid)
    if (parentPid === parent && program === 'deno') found.push(pid)
  }
  return found
}

/** Its parent and program; nothing for a process that has ended meanwhile. */
function readProcess(pid: number): { parentPid?: number; program?: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, program = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? []
    return { parentPid: Number(rest.split(' ')[1]), program }
  } catch {
    return {}
  }
}
