import { readdirSync, readFileSync } from 'node:fs'

/** The kernel's unit of processor time. */
const TICK_MS = 10
const KB_PER_MB = 1024

/**
 * Returns the processor time of a process so far, in milliseconds; NaN where it is unavailable (not Linux).
 */
function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name, in brackets, may contain anything; user and system time are the 12th and 13th fields after
    // it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return NaN
  }
}

/** Returns the resident memory of a process in MB; NaN where it is unavailable. */
export function residentMbOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / KB_PER_MB
  } catch {
    return NaN
  }
}

/** Process ids by the name under which they are reported together. */
export type ProcessIds = Readonly<Record<string, readonly number[]>>

/** Returns the ids of all descendants of a process; none where they are unavailable. */
export function listDescendants(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of listProc()) {
    const parent = parentOf(Number(name))
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found = [...(children.get(pid) ?? [])]
  for (const each of found) found.push(...(children.get(each) ?? []))
  return found
}

/**
 * Runs a function; resolves to its result and the processor time of the processes during it, in milliseconds.
 */
export async function withCpu<T>(
  pids: ProcessIds,
  run: () => Promise<T>,
): Promise<{ result: T; cpu: Record<string, number> }> {
  const before = new Map(
    Object.values(pids).flatMap((all) => all.map((pid) => [pid, cpuMsOf(pid)])),
  )
  const result = await run()
  const taken = (pid: number) => {
    const [from, to] = [before.get(pid) ?? NaN, cpuMsOf(pid)]
    // Processes that ended meanwhile used next to nothing: PostgreSQL closes idle connections.
    return Number.isNaN(to) && !Number.isNaN(from) ? 0 : to - from
  }
  return { result, cpu: sums(pids, taken) }
}

/** Runs a function; resolves to its result and the peak resident memory of the processes during it, in MB. */
export async function withPeaks<T>(
  pids: ProcessIds,
  run: () => Promise<T>,
): Promise<{ result: T; peaks: Record<string, number> }> {
  const peaks = sums(pids, residentMbOf)
  const look = () => {
    for (const [name, now] of Object.entries(sums(pids, residentMbOf)))
      peaks[name] = Math.max(peaks[name] ?? 0, now)
  }
  const timer = setInterval(look, 20)
  try {
    const result = await run()
    look()
    return { result, peaks }
  } finally {
    clearInterval(timer)
  }
}

function sums(pids: ProcessIds, figureOf: (pid: number) => number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pids).map(([name, all]) => [
      name,
      all.reduce((sum, pid) => sum + figureOf(pid), 0),
    ]),
  )
}

function listProc(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    // It has ended since it was listed.
    return undefined
  }
}
