import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { FrameReader, writeFrame } from './frames'
import { orphanGuard } from './orphan-guard'
import { killNow, residentBytes, setNiceness } from './process-control'

/** Sets the resource limits, then executes the program: Node cannot set limits of a child. */
const SHELL = '/bin/sh'
/** The unit of `ulimit -f`. */
const BLOCK_BYTES = 512
/** Length of the tail of standard error that is kept. */
const STDERR_BYTES = 8 * 1024
/**
 * How often the output is checked after the exit. A descendant outside the process group may keep it open, so it is
 * closed when nothing has arrived between two checks, …
 */
const DRAIN_CHECK_MS = 500
/** … and in any case after so many checks, because such a descendant may also write to it. */
const MAX_DRAIN_CHECKS = 6
const MEMORY_CHECK_MS = 100

/**
 * Limits of a process; absent ones are not set. A system that does not support one of them still applies the
 * others.
 */
export interface ProcessLimits {
  /**
   * Memory that it may allocate, enforced by the kernel (`ulimit -d`): further allocations fail in the
   * program.
   */
  readonly dataBytes?: number
  /** Stack of its main thread, enforced by the kernel (`ulimit -s`); systems give 8 MiB when it is absent. */
  readonly stackBytes?: number
  /** Largest file that it may write, enforced by the kernel (`ulimit -f`), in blocks of 512 bytes. */
  readonly fileBytes?: number
  /** Processor time, enforced by the kernel (`ulimit -t`) with SIGKILL; reported as cause `exited`. */
  readonly cpuSeconds?: number
  /**
   * Resident memory above which it is killed. Monitored while it is working, and only on systems with /proc.
   */
  readonly residentBytes?: number
  /** Wall-clock time from its start after which it is killed. */
  readonly wallMs?: number
}

/** Describes a process to start. */
export interface ProcessOptions {
  /** Path of an executable of any kind. It reads frames from standard input and writes frames to standard output. */
  readonly program: string
  readonly args: readonly string[]
  /**
   * Environment; empty when absent, except for the variables that the shell sets: PWD, OLDPWD, SHLVL and _.
   */
  readonly env?: Readonly<Record<string, string>>
  /** Working folder; `/` when absent. */
  readonly cwd?: string
  /**
   * Niceness of all its threads from its first frame on; 0 when absent. A program starts at normal priority,
   * so that a busy machine does not delay its first frame.
   */
  readonly niceness?: number
  /**
   * True for a program that may start processes: it leads a process group in a session of its own, which ends as a whole.
   * Absent for others, because Linux schedules a session as a unit (autogroup), which delays small messages and hides its
   * niceness from the rest of the system.
   */
  readonly hasDescendants?: boolean
  readonly limits: ProcessLimits
  /** How often resident memory is compared with its limit, in milliseconds; 100 when absent. */
  readonly memoryCheckMs?: number
  /** Largest frame in either direction. */
  readonly maxFrameBytes: number
}

/**
 * Why a process ended: `exited` without being killed by this host; `killed` by `kill()`; `memory` and `time` by the limits
 * `residentBytes` and `wallMs`; `protocol` for a frame that is too large or that its receiver threw for; `start` when it
 * could not be started.
 */
export type ExitCause = 'exited' | 'killed' | 'memory' | 'time' | 'protocol' | 'start'

/** How a process ended. */
export interface ProcessExit {
  readonly cause: ExitCause
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last 8 KiB of standard error. It may quote what users wrote, so it must not be logged. */
  readonly stderr: string
  /** The error behind the causes `protocol` and `start`. */
  readonly error?: unknown
}

/** Receives what a process sends. */
export interface ProcessHandlers {
  /** Receives a frame. Nothing is read from the process until a returned promise has settled. */
  onFrame(frame: Buffer): void | Promise<void>
  /** Called exactly once, after the last frame. */
  onExit(exit: ProcessExit): void
}

/**
 * A child process with limits, which exchanges frames over standard input and output. It is killed when it breaks a limit,
 * and when this process ends, also by SIGKILL. With `hasDescendants`, its process group is killed with it, and when it exits
 * without being killed. Every frame that was written before an exit is delivered; no frame is delivered after a kill.
 */
export class HostedProcess {
  private readonly child: ChildProcess | undefined
  private readonly timer: NodeJS.Timeout | undefined
  private memoryTimer: NodeJS.Timeout | undefined
  private stderr = Buffer.alloc(0)
  private cause: ExitCause | undefined
  private error: unknown
  private exitedAlready = false
  /** Settles when the current frame, if any, has been handled. */
  private handling: Promise<void> | undefined
  private hasSentFrame = false
  private receivedBytes = 0

  /** Starts a process. Failing to start is reported by `onExit`. */
  constructor(
    private readonly options: ProcessOptions,
    private readonly handlers: ProcessHandlers,
  ) {
    const { wallMs } = options.limits
    try {
      this.child = startShell(options)
    } catch (error) {
      this.end('start', error)
    }
    if (this.target !== undefined) orphanGuard.add(this.target)
    const { stdin, stderr } = this.child ?? {}
    // A broken pipe rejects the writes and precedes the exit, which is reported.
    stdin?.on('error', () => {})
    stderr?.on('error', () => {})
    stderr?.on('data', (chunk: Buffer) => {
      this.stderr = Buffer.concat([this.stderr, chunk]).subarray(-STDERR_BYTES)
    })
    if (wallMs !== undefined) this.timer = setTimeout(() => this.end('time'), wallMs).unref()
    this.setWorking(true)
    void this.report()
  }

  /** True as soon as the system has reported its end; `onExit` follows when its output is handled. */
  get hasExited(): boolean {
    return this.exitedAlready
  }

  /** Process id; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.child?.pid
  }

  /** The process, or its group as a negative number, as `kill` takes it. */
  private get target(): number | undefined {
    return this.options.hasDescendants && this.pid !== undefined ? -this.pid : this.pid
  }

  /**
   * Sends a frame. Resolves when the operating system has accepted it. Rejects with FrameTooLarge above the limit, and when
   * the process has ended.
   */
  async send(frame: Uint8Array): Promise<void> {
    const { stdin } = this.child ?? {}
    if (!stdin) throw new Error('the process has not started')
    await writeFrame(stdin, frame, this.options.maxFrameBytes)
  }

  /**
   * Declares whether the process has work, as it does initially. An idle process does not keep this process
   * alive, and its memory is not monitored.
   */
  setWorking(works: boolean): void {
    const { child } = this
    for (const handle of [child, ...(child?.stdio ?? [])] as (Socket | undefined)[])
      if (works) handle?.ref()
      else handle?.unref()
    clearInterval(this.memoryTimer)
    if (works) this.watchMemory()
  }

  /** Kills the process at once. Does nothing after its end. */
  kill(): void {
    this.end('killed')
  }

  private end(cause: ExitCause, error?: unknown): void {
    if (this.cause || this.hasExited) return
    this.cause = cause
    this.error = error
    if (this.target !== undefined) killNow(this.target)
  }

  private watchMemory(): void {
    const { limits, memoryCheckMs } = this.options
    const { pid } = this
    const { residentBytes: limit } = limits
    if (limit === undefined || pid === undefined || this.hasExited) return
    const check = () => {
      if (residentBytes(pid) > limit) this.end('memory')
    }
    this.memoryTimer = setInterval(check, memoryCheckMs ?? MEMORY_CHECK_MS)
    this.memoryTimer.unref()
  }

  private async report(): Promise<void> {
    const { stdin, stdout, stderr } = this.child ?? {}
    const delivered = this.deliver(stdout)
    const { code, signal } = await this.exited()
    if (this.cause) stdout?.destroy()
    const drain = this.closeDrained(stdout)
    await delivered
    clearInterval(drain)
    for (const stream of [stdin, stderr]) stream?.destroy()
    const { cause = 'exited', error } = this
    this.handlers.onExit({ cause, code, signal, stderr: this.stderr.toString(), error })
  }

  /** Closes the output after the exit once all that the process wrote has been delivered. */
  private closeDrained(stdout: Readable | null | undefined): NodeJS.Timeout {
    let before: number | undefined
    let checks = 0
    return setInterval(() => {
      if (this.handling) {
        before = undefined
        return
      }
      // One check is not enough: a busy event loop may reach it before it has read what was written.
      if (this.receivedBytes === before || ++checks > MAX_DRAIN_CHECKS) stdout?.destroy()
      before = this.receivedBytes
    }, DRAIN_CHECK_MS)
  }

  private exited(): Promise<Pick<ProcessExit, 'code' | 'signal'>> {
    return new Promise((resolve) => {
      const settle = (code: number | null, signal: NodeJS.Signals | null) => {
        this.exitedAlready = true
        clearTimeout(this.timer)
        clearInterval(this.memoryTimer)
        if (this.target !== undefined) {
          if (this.options.hasDescendants) killNow(this.target)
          orphanGuard.remove(this.target)
        }
        resolve({ code, signal })
      }
      if (!this.child) return settle(null, null)
      this.child.once('exit', settle)
      this.child.once('error', (error) => {
        if (this.pid !== undefined) return
        this.end('start', error)
        settle(null, null)
      })
    })
  }

  /** Passes on frames in order; resolves when the output has ended and the last frame is handled. */
  private deliver(stdout: Readable | null | undefined): Promise<void> {
    const reader = new FrameReader(this.options.maxFrameBytes)
    return new Promise((resolve) => {
      if (!stdout) return resolve()
      const finish = async () => {
        while (this.handling) await this.handling
        resolve()
      }
      stdout.on('error', () => {})
      stdout.once('close', () => void finish())
      stdout.on('data', (chunk: Buffer) => {
        if (this.handling) {
          // Node resumes the output of a process that has exited.
          stdout.pause()
          stdout.unshift(chunk)
          return
        }
        this.receivedBytes += chunk.length
        try {
          this.deliverFrames(reader.read(chunk).values(), stdout)
        } catch (error) {
          this.end('protocol', error)
        }
      })
    })
  }

  /** Uses events because an async iterator would cost as much as a small message. */
  private deliverFrames(frames: Iterator<Buffer, undefined>, stdout: Readable): void {
    for (let frame = frames.next().value; frame && !this.cause; frame = frames.next().value) {
      if (!this.hasSentFrame) this.lowerPriority()
      const handled = this.handlers.onFrame(frame)
      if (!handled) continue
      stdout.pause()
      this.handling = handled
        .then(() => {
          this.handling = undefined
          this.deliverFrames(frames, stdout)
          if (!this.handling) stdout.resume()
        })
        .catch((error) => {
          this.handling = undefined
          this.end('protocol', error)
        })
      return
    }
  }

  private lowerPriority(): void {
    const { niceness } = this.options
    this.hasSentFrame = true
    if (niceness !== undefined && this.pid !== undefined) setNiceness(this.pid, niceness)
  }
}

/** Starts a shell that sets the limits and then executes the program. */
function startShell(options: ProcessOptions): ChildProcess {
  const { program, args, env = {}, cwd = '/', limits, hasDescendants = false } = options
  return spawn(SHELL, ['-c', `${ulimits(limits)}exec "$0" "$@"`, program, ...args], {
    env,
    cwd,
    detached: hasDescendants,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Shell commands that set limits; core files are disabled. */
function ulimits({ dataBytes, stackBytes, fileBytes, cpuSeconds }: ProcessLimits): string {
  const limits = [
    ['c', 0],
    ['d', dataBytes === undefined ? undefined : Math.ceil(dataBytes / 1024)],
    ['s', stackBytes === undefined ? undefined : Math.ceil(stackBytes / 1024)],
    ['f', fileBytes === undefined ? undefined : Math.floor(fileBytes / BLOCK_BYTES)],
    ['t', cpuSeconds === undefined ? undefined : Math.ceil(cpuSeconds)],
  ] as const
  return limits
    .filter(([, limit]) => limit !== undefined)
    .map(([name, limit]) => `ulimit -${name} ${limit}; `)
    .join('')
}
