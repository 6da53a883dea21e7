import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Identifies a process unambiguously, even if its pid is reused. */
export interface ProcessIdentity {
  pid: number
  startedAt: string
}

/** Returns the identity of a running process; undefined for none, or only a zombie. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? linuxStartTime(pid) : portableStartTime(pid)
  return startedAt === undefined ? undefined : { pid, startedAt }
}

/** Returns whether exactly this process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt
}

/**
 * Finds running processes of `program` with `argument` on their command line. The argument is a path inside
 * the data folder, which proves that the process belongs to it. Unlike a pid file, this leaves no gap after
 * the spawn in which a crash would lose the process.
 */
export function findProcesses(program: string, argument: string): ProcessIdentity[] {
  const find = process.platform === 'linux' ? linuxProcesses : portableProcesses
  return find(program, argument).flatMap((pid) => identifyProcess(pid) ?? [])
}

/** Sends SIGTERM, waits up to `graceMs`, then sends SIGKILL; resolves once the process is gone. */
export async function terminate(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> {
  sendSignal(identity, signal)
  if (await isGoneWithin(identity, graceMs)) return
  sendSignal(identity, 'SIGKILL')
  // A process that SIGKILL does not end hangs in the kernel; further waiting is pointless.
  await isGoneWithin(identity, 5_000)
}

function sendSignal(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(identity)) return
  try {
    process.kill(identity.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function isGoneWithin(identity: ProcessIdentity, ms: number): Promise<boolean> {
  const deadline = Date.now() + ms
  while (isAlive(identity)) {
    if (Date.now() > deadline) return false
    await sleep(20)
  }
  return true
}

function linuxStartTime(pid: number): string | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The program's name is in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  if (state === 'Z' || state === 'X') return undefined
  // Ticks count from boot, so they identify a moment only together with the boot id.
  const boot = readOrUndefined('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return `${boot}:${startTicks}`
}

function linuxProcesses(program: string, argument: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      const argv = (readOrUndefined(`/proc/${entry}/cmdline`) ?? '').split('\0')
      return basename(argv[0] ?? '') === program && argv.includes(argument)
    })
    .map(Number)
}

function portableStartTime(pid: number): string | undefined {
  const [state, ...startedAt] = ps(['-o', 'state=,lstart=', '-p', String(pid)]).split(/\s+/)
  return startedAt.length === 0 || state?.startsWith('Z') ? undefined : startedAt.join(' ')
}

function portableProcesses(program: string, argument: string): number[] {
  // ps does not separate arguments, and folder names may contain spaces.
  return ps(['-A', '-ww', '-o', 'pid=,args='])
    .split('\n')
    .filter((line) => `${line} `.includes(`/${program} `) && `${line} `.includes(` ${argument} `))
    .map((line) => parseInt(line, 10))
}

/** Portable `ps`; a non-zero exit code only means that no process matched. */
function ps(args: string[]): string {
  try {
    return execFileSync('ps', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

function readOrUndefined(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // the process ended meanwhile, or belongs to another user
  }
}
