import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Kills a process, or the process group of a negative number, if it still exists. */
export function killNow(target: number): void {
  try {
    process.kill(target, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Sets the niceness of all threads of a process, where permitted. */
export function setNiceness(pid: number, niceness: number): void {
  for (const thread of listThreads(pid)) {
    try {
      setPriority(thread, niceness)
    } catch {
      // The thread has ended, or the system does not permit it: then all keep the same priority.
    }
  }
}

/** Linux has a priority per thread; other systems have one per process. */
function listThreads(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return [pid]
  }
}

/** Resident memory of a process in bytes; 0 when it has ended, or the system has no /proc. */
export function residentBytes(pid: number): number {
  try {
    const [, kilobytes] =
      /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes ?? 0) * 1024
  } catch {
    return 0
  }
}

/** Linux reports processor time in this unit on every architecture. */
const TICK_MS = 10

/**
 * Processor time that a process has used, in milliseconds, in steps of 10; undefined when it has ended, or
 * the system has no /proc.
 */
export function processorMs(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the name of the program, in parentheses, and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system] = [Number(fields[11]), Number(fields[12])]
    return Number.isFinite(user + system) ? (user + system) * TICK_MS : undefined
  } catch {
    return undefined
  }
}
