import { AppError } from '@sheaf/kit/errors'
import type { ProcessExit } from '../processes/hosted-process'
import { compiledProgram, exceededMemory, NodeProgram } from '../processes/node-program'
import type { Imported, ImportProgress, ImportRequest } from './import-file'
import { tooMuch } from './import-errors'
import type { FromImport } from './import-messages'

/** Concurrent processes; further imports queue. */
const MAX_RUNNING = 2
/** Imports that are queued, running or being uploaded; each may take as much disk as an upload may. */
const MAX_HELD = 8
const RETRY_MS = '5000'
/** JavaScript heap in MiB. */
const HEAP_MB = 512
/** Resident memory in MiB, including SQLite and decompression. */
const RESIDENT_MB = 1024
const MEMORY_CHECK_MS = 200

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
  private readonly children = new Set<NodeProgram<ImportRequest, FromImport>>()
  private held = 0
  private running = 0
  private readonly waiting: (() => void)[] = []
  private isClosed = false

  constructor(private readonly options: ImportsOptions) {}

  /**
   * Reserves a slot for an import, before its upload is accepted, until the returned function is called.
   * Throws `unavailable` when no slot is free.
   */
  hold(): () => void {
    if (this.held >= MAX_HELD)
      throw new AppError(
        'unavailable',
        'SERVICE_BUSY',
        'too many concurrent imports, retry later',
        {
          retryAfterMs: RETRY_MS,
        },
      )
    this.held++
    let isHeld = true
    return () => {
      if (isHeld) this.held--
      isHeld = false
    }
  }

  /**
   * Runs an import. Throws `invalid` or `too_large` for a faulty upload, an error of the disk as SQLite or the system
   * reports it, and the reason of the signal when it is aborted.
   */
  async run(
    request: ImportRequest,
    onProgress: (progress: ImportProgress) => void,
    signal: AbortSignal,
  ): Promise<Imported> {
    await this.enter(signal)
    try {
      return await this.runProcess(request, onProgress, signal)
    } finally {
      this.leave()
    }
  }

  /** Ends all imports, also those that are queued; they fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true
    for (const child of this.children) child.kill()
  }

  private enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.running < MAX_RUNNING) {
      this.running++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.waiting.splice(this.waiting.indexOf(begin), 1)
        reject(signal.reason as Error)
      }
      this.waiting.push(begin)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Passes the slot to the import that has waited longest, or frees it. */
  private leave(): void {
    const next = this.waiting.shift()
    if (next) next()
    else this.running--
  }

  private async runProcess(
    request: ImportRequest,
    onProgress: (progress: ImportProgress) => void,
    signal: AbortSignal,
  ): Promise<Imported> {
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
      const child = new NodeProgram<ImportRequest, FromImport>(
        {
          module: program,
          heapMb: HEAP_MB,
          limits: { residentBytes: residentMb * 1024 * 1024, wallMs: maxMs },
          memoryCheckMs: MEMORY_CHECK_MS,
        },
        {
          onMessage: (message) => {
            if (message.kind === 'ready') child.send(request)
            else if (message.kind === 'progress') onProgress(message.progress)
            else if (message.kind === 'done') resolve(message.imported)
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
