import { readFileSync } from 'node:fs'

/** True for a process that has not ended. */
export function isAlive(pid: number): boolean {
  try {
    // One that has ended stays listed until its parent has read its exit code.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
