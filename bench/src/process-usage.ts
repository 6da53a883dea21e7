import { readdirSync, readFileSync } from 'node:fs'

/** Processor time is counted by the kernel in these. */
const TICK_MS = 10
const KB_PER_MB = 1024

/** Processor time of a process so far, in milliseconds; NaN where the system does not tell (it is not Linux). */
function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name, in brackets, may hold anything; user and system time are the 12th and 13th after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return NaN
  }
}

/** Resident memory of a process in MB; NaN where the system does not tell. */
export function residentMbOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / KB_PER_MB
  } catch {
    return NaN
  }
}

/** Processes by the name under which they are reported together. */
export type Pids = Readonly<Record<string, readonly number[]>>

/** Ids of the processes that a process has started, and these in turn; none where the system does not tell. */
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

/** Runs something; resolves to its result and the processor time that the processes took meanwhile, in milliseconds. */
export async function withCpu<T>(
  pids: Pids,
  run: () => Promise<T>,
): Promise<{ result: T; cpu: Record<string, number> }> {
  const before = new Map(
    Object.values(pids).flatMap((all) => all.map((pid) => [pid, cpuMsOf(pid)])),
  )
  const result = await run()
  const taken = (pid: number) => {
    const [from, to] = [before.get(pid) ?? NaN, cpuMsOf(pid)]
    // What has ended meanwhile took next to nothing: PostgreSQL ends connections that are not used.
    return Number.isNaN(to) && !Number.isNaN(from) ? 0 : to - from
  }
  return { result, cpu: sums(pids, taken) }
}

/** Runs something; resolves to its result and the greatest resident memory of the processes meanwhile, in MB. */
export async function withPeaks<T>(
  pids: Pids,
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

function sums(pids: Pids, figureOf: (pid: number) => number): Record<string, number> {
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
