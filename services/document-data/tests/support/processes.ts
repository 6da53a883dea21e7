import { readdirSync, readFileSync } from 'node:fs'

/** True for a process that has not ended. */
export function isAlive(pid: number): boolean {
  try {
    // One that has ended stays listed until its parent has read its exit code.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Processes for SQL that this process has started. */
export function listSqlProcesses(): number[] {
  const isOne = (pid: string) => {
    try {
      const parent = /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return Number(parent) === process.pid && command.includes('sql-process.js')
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOne(name))
    .map(Number)
}
