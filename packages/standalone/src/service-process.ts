import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Backoff } from '@sheaf/kit/backoff'
import type { ServicePlan } from './service-plan'

/** Requests fail meanwhile, so the longest delay only keeps a service that cannot start from using a core. */
const RESTART = { firstMs: 100, longestMs: 3_000 }
/** A service that ran for this long had started: its next failure restarts the backoff. */
const HEALTHY_AFTER_MS = 5_000
/** Longer than a service needs to finish pending requests. */
const STOP_GRACE_MS = 12_000
/**
 * The young generation has half of Node's default size: throughput is the same (`make bench`), and each
 * process needs at least 10 MB less at rest. Old-space collections start when it has grown most of the way to
 * its limit. By default V8 starts one as soon as the limit is within one young generation, counting off-heap
 * bytes as well: with bodies of 85 KB the gateway collected two to three times per second, for a third of its
 * CPU time.
 */
const NODE_OPTIONS = [
  '--max-semi-space-size=8',
  '--incremental-marking-soft-trigger=80',
  '--incremental-marking-hard-trigger=95',
]
/**
 * Limits the heaps of the C library: with one per thread, the gateway uses some 6 MB more during large reads,
 * without benefit.
 */
const MALLOC = { MALLOC_ARENA_MAX: '2' }
/** How long to read output after the process has ended. */
const OUTPUT_GRACE_MS = 500
/** Number of lines kept to explain a failure. */
const KEPT_LINES = 8
/** What Node prints around the reason of a failure: the source of the error, and its stack. */
const NOISE = /^\s*$|^\s+at |^\s*\^+$|^node:internal\/|^Node\.js v|^[{}]$/

/** Listeners for the events of a service. */
export interface ServiceEvents {
  /** It printed a line. */
  line(line: string): void
  /** It started, with a new pid. */
  started(): void
  /**
   * It ended unexpectedly, for the n-th time, and will restart after a delay; with its last lines of output.
   */
  died(event: { reason: string; deaths: number; lastLines: string[] }): void
}

/** One supervised service process. */
export class ServiceProcess implements AsyncDisposable {
  private child?: ChildProcess
  private readonly stopping = new AbortController()
  private readonly supervision: Promise<void>

  /**
   * @param marker an argument that identifies the process to a later start, if this process is killed
   */
  constructor(
    private readonly plan: ServicePlan,
    private readonly marker: string,
    private readonly events: ServiceEvents,
  ) {
    this.supervision = this.supervise()
  }

  get name(): string {
    return this.plan.name
  }

  /** The pid of the running process; undefined between its death and its restart. */
  get pid(): number | undefined {
    return this.child?.pid
  }

  /** Stops the service by SIGTERM, or by SIGKILL when it takes too long. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort()
    const { child } = this
    child?.kill('SIGTERM')
    const force = setTimeout(() => child?.kill('SIGKILL'), STOP_GRACE_MS)
    await this.supervision
    clearTimeout(force)
  }

  private async supervise(): Promise<void> {
    const { signal } = this.stopping
    const backoff = new Backoff(this.plan.restart ?? RESTART)
    for (let deaths = 1; !signal.aborted; deaths++) {
      const startedAt = Date.now()
      const { reason, lastLines } = await this.runOnce()
      if (signal.aborted) return
      this.events.died({ reason, deaths, lastLines })
      if (Date.now() - startedAt > HEALTHY_AFTER_MS) backoff.reset()
      await sleep(backoff.nextDelay(), undefined, { signal }).catch(() => {})
    }
  }

  private async runOnce(): Promise<{ reason: string; lastLines: string[] }> {
    const { main, env } = this.plan
    // In a session of its own, so that ^C in the terminal reaches only the supervisor. A closed IPC channel
    // signals the service that the supervisor was killed.
    const child = spawn(process.execPath, [...NODE_OPTIONS, main, this.marker], {
      env: { ...MALLOC, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.child = child
    const lastLines = this.readLines(child)
    if (child.pid !== undefined) this.events.started()
    const reason = await endOf(child)
    this.child = undefined
    return { reason, lastLines }
  }

  private readLines(child: ChildProcess): string[] {
    const lastLines: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      createInterface({ input: stream }).on('line', (line) => {
        if (!NOISE.test(line)) lastLines.push(line)
        if (lastLines.length > KEPT_LINES) lastLines.shift()
        this.events.line(line)
      })
    }
    return lastLines
  }
}

/** Resolves, and never rejects, when the process has ended and its output was read. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => {
      const ended = () => resolve(signal ?? `exit code ${code}`)
      // A child process of the service may keep its output open.
      const force = setTimeout(ended, OUTPUT_GRACE_MS)
      child.once('close', () => {
        clearTimeout(force)
        ended()
      })
    })
  })
}
