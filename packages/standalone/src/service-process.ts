import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Backoff } from '@sheaf/kit/backoff'
import type { ServicePlan } from './service-plan'

const RESTART = { firstMs: 100, longestMs: 10_000 }
/** A service that ran for this long was healthy: its next failure restarts the backoff. */
const HEALTHY_AFTER_MS = 30_000
/** Longer than a service takes to finish the requests it has begun. */
const STOP_GRACE_MS = 12_000
/**
 * Half of Node's own nursery: reads and writes are as fast (`make bench`), and each process needs at least 10 MB less at rest.
 * The old space is looked through when it has grown most of the way to its limit. Without that V8 begins as soon as a nursery
 * more could reach it, counting bytes outside of the heap, too: so bodies of 85 KB had the gateway do so two to three times a
 * second, for a third of its processor time.
 */
const NODE_OPTIONS = [
  '--max-semi-space-size=8',
  '--incremental-marking-soft-trigger=80',
  '--incremental-marking-hard-trigger=95',
]
/** At most so many heaps of the C library: with one for each thread, the gateway holds some 6 MB more in large reads, for nothing. */
const MALLOC = { MALLOC_ARENA_MAX: '2' }
/** How long output may come after the end. */
const OUTPUT_GRACE_MS = 500
/** Lines kept to explain a failure. */
const KEPT_LINES = 5

/** Who is told what a service does. */
export interface ServiceEvents {
  /** A line that it printed. */
  line(line: string): void
  /** It runs, with a new pid. */
  started(): void
  /** It ended unasked, for the n-th time, and is started again after a moment; with its last lines. */
  died(event: { reason: string; deaths: number; lastLines: string[] }): void
}

/** One service, kept running until it is stopped. */
export class ServiceProcess implements AsyncDisposable {
  private child?: ChildProcess
  private readonly stopping = new AbortController()
  private readonly supervision: Promise<void>

  /** @param marker an argument by which a later start recognises the process, should this one be killed */
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

  /** Ends the service: by SIGTERM and, when it takes too long, by SIGKILL. */
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
    const backoff = new Backoff(RESTART)
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
    // A session of its own, so that a ^C at the terminal reaches the supervisor alone. The end of the IPC channel
    // tells the service that the supervisor was killed.
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
        lastLines.push(line)
        if (lastLines.length > KEPT_LINES) lastLines.shift()
        this.events.line(line)
      })
    }
    return lastLines
  }
}

/** Resolves, never rejects, when the process has ended and its output was read. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => {
      const ended = () => resolve(signal ?? `exit code ${code}`)
      // A process that it started may hold its output open.
      const force = setTimeout(ended, OUTPUT_GRACE_MS)
      child.once('close', () => {
        clearTimeout(force)
        ended()
      })
    })
  })
}
