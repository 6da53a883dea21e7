import { AppError } from '@sheaf/kit/errors'
import { FairQueue } from '@sheaf/kit/fair-queue'
import { FairShare, toBusyError } from '@sheaf/kit/fair-share'
import type { ProcessExit } from '../processes/hosted-process'
import { compiledProgram, exceededMemory, NodeProgram } from '../processes/node-program'
import type { Imported, ImportProgress, ImportRequest, Previewed } from './import-file'
import { tooMuch } from './import-errors'
import type { FromImport, ToImport } from './import-messages'

/** Concurrent processes, one for each user; further imports queue. */
const MAX_RUNNING = 2
/** Imports that are queued, running or being uploaded; each may take as much disk as an upload may. */
const MAX_HELD = 16
const RETRY_MS = '5000'
/** JavaScript heap in MiB. */
const HEAP_MB = 512
/** Resident memory in MiB, including SQLite and decompression. */
const RESIDENT_MB = 1024
const MEMORY_CHECK_MS = 200

/** An import that waits for a process. */
interface Waiter {
  readonly user: number
  readonly begin: () => void
}

/** Limits of import processes. */
export interface ImportsOptions {
  /** Time limit of a process, in milliseconds. */
  readonly maxMs: number
  /** Overrides the compiled program in tests. */
  readonly program?: string
  /** Resident memory limit of a process in MiB; lowered in tests. */
  readonly residentMb?: number
}

/**
 * Runs imports, each in a separate process with an empty environment. A process that exceeds its time or
 * memory limit is killed.
 */
export class Imports implements AsyncDisposable {
  private readonly children = new Set<NodeProgram<ToImport, FromImport>>()
  private readonly held = new FairShare(MAX_HELD)
  private readonly running = new FairShare(MAX_RUNNING)
  private readonly waiting = new FairQueue<Waiter>()
  private isClosed = false

  constructor(private readonly options: ImportsOptions) {}

  /**
   * Reserves a slot for an import of a user, before its upload is accepted, until the returned function is
   * called. Throws `too_many` when the user has used their share, `unavailable` when no slot is free.
   */
  hold(userId: number): () => void {
    const holder = { user: userId }
    const full = this.held.check(holder, 1)
    if (full) throw toBusyError(full, { what: 'concurrent imports', retryAfterMs: RETRY_MS })
    this.held.take(holder, 1)
    let isHeld = true
    return () => {
      if (isHeld) this.held.give(holder, 1)
      isHeld = false
    }
  }

  /** Runs a preview, which is an import that keeps nothing. Throws as `run`. */
  preview(request: ImportRequest, signal: AbortSignal): Promise<Previewed> {
    return this.perform<Previewed>({ kind: 'preview', request }, () => {}, signal)
  }

  /**
   * Runs an import. Throws `invalid` or `too_large` for a faulty upload, an error of the disk as SQLite or the system
   * reports it, and the reason of the signal when it is aborted.
   */
  run(
    request: ImportRequest,
    onProgress: (progress: ImportProgress) => void,
    signal: AbortSignal,
  ): Promise<Imported> {
    return this.perform<Imported>({ kind: 'import', request }, onProgress, signal)
  }

  /** @typeParam T the outcome of this kind of order */
  private async perform<T extends Imported | Previewed>(
    order: ToImport,
    onProgress: (progress: ImportProgress) => void,
    signal: AbortSignal,
  ): Promise<T> {
    const { userId: user } = order.request.author
    await this.enter(user, signal)
    try {
      return (await this.runProcess(order, onProgress, signal)) as T
    } finally {
      this.running.give({ user }, 1)
      this.serve()
    }
  }

  /** Imports that run. */
  get runningCount(): number {
    return this.running.used
  }

  /** Imports that wait for their turn. */
  get waitingCount(): number {
    return this.waiting.size
  }

  /** Ends all imports, also those that are queued; they fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true
    for (const child of this.children) child.kill()
  }

  private enter(user: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        user,
        begin: () => {
          signal.removeEventListener('abort', giveUp)
          resolve()
        },
      }
      const giveUp = () => {
        this.waiting.remove(waiter)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.waiting.add(waiter)
      this.serve()
    })
  }

  /** Starts the imports that wait and have room, those of each user in turn. */
  private serve(): void {
    for (;;) {
      const next = this.waiting.take((waiter) => this.running.check(waiter, 1) === undefined)
      if (!next) return
      this.running.take({ user: next.user }, 1)
      next.begin()
    }
  }

  private async runProcess(
    order: ToImport,
    onProgress: (progress: ImportProgress) => void,
    signal: AbortSignal,
  ): Promise<Imported | Previewed> {
    // Either may have happened while it was queued.
    signal.throwIfAborted()
    if (this.isClosed)
      throw new AppError('unavailable', 'DOCUMENT_CLOSED', 'the service is stopping, retry later')
    const { maxMs, program = compiledProgram('import/import-process.js') } = this.options
    const { residentMb = RESIDENT_MB } = this.options
    return new Promise((resolve, reject) => {
      const end = (error: unknown) => {
        signal.removeEventListener('abort', abort)
        child.kill()
        reject(error instanceof Error ? error : new Error(String(error)))
      }
      const abort = () => end(signal.reason)
      const child = new NodeProgram<ToImport, FromImport>(
        {
          module: program,
          heapMb: HEAP_MB,
          limits: { residentBytes: residentMb * 1024 * 1024, wallMs: maxMs },
          memoryCheckMs: MEMORY_CHECK_MS,
        },
        {
          onMessage: (message) => {
            if (message.kind === 'ready') child.send(order)
            else if (message.kind === 'progress') onProgress(message.progress)
            else if (message.kind === 'done') resolve(message.outcome)
            else end(failureOf(message))
          },
          // After the last message the promise is settled, so this has no effect.
          onExit: (exit) => {
            this.children.delete(child)
            end(this.errorOf(exit))
          },
        },
      )
      this.children.add(child)
      signal.addEventListener('abort', abort, { once: true })
    })
  }

  /** The error of an import whose process ended before its last message. */
  private errorOf(exit: ProcessExit): Error {
    const seconds = Math.round(this.options.maxMs / 1000)
    if (exit.cause === 'time') return tooMuch(`the import took longer than ${seconds} seconds`)
    if (exceededMemory(exit)) return tooMuch('the import exceeded the memory limit')
    return new Error('an import was interrupted', { cause: exit.error })
  }
}

function failureOf(message: Extract<FromImport, { kind: 'refused' | 'failed' }>): Error {
  if (message.kind === 'refused')
    return new AppError(message.code, message.reason, message.message, message.metadata)
  const { name, message: text, code } = message
  return Object.assign(new Error(text), { name, code })
}
