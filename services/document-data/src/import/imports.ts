import { fork, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@sheaf/kit/errors'
import type { Imported, ImportOrder, ImportProgress } from './import-file'
import { tooMuch } from './import-errors'
import type { FromImport } from './import-messages'

/** The compiled program of a process, also when this file runs from sources. */
const PROGRAM = join(__dirname, '../../dist/import/import-process.js')

/** Processes at once; further imports wait for their turn. */
const MAX_RUNNING = 2
/** Imports that wait, run, or whose upload is on its way; each may take as much disk as an upload may. */
const MAX_HELD = 8
const RETRY_MS = '5000'
/** MiB of JavaScript objects. */
const HEAP_MB = 512
/** MiB in all, with what SQLite and unpacking take. */
const RESIDENT_MB = 1024
const WATCH_MS = 200
const PAGE_BYTES = 4096

/** What the import processes are limited by. */
export interface ImportsOptions {
  /** Longest time that a process may run, in milliseconds. */
  readonly maxMs: number
  /** File that a process runs, another one than usual in tests. */
  readonly program?: string
  /** MiB of memory that a process may have, fewer than usual in tests. */
  readonly residentMb?: number
}

/**
 * Runs imports, each in a process of its own with nothing in its environment. One that takes too long or too much memory
 * is killed.
 */
export class Imports implements AsyncDisposable {
  private readonly children = new Set<ChildProcess>()
  private held = 0
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly options: ImportsOptions) {}

  /**
   * Keeps a place for an import, before its upload is taken, until the function returned is called. Throws `unavailable`
   * when there is none.
   */
  hold(): () => void {
    if (this.held >= MAX_HELD)
      throw new AppError('unavailable', 'SERVICE_BUSY', 'too many concurrent imports, retry later', {
        retryAfterMs: RETRY_MS,
      })
    this.held++
    let isHeld = true
    return () => {
      if (isHeld) this.held--
      isHeld = false
    }
  }

  /**
   * Does an import. Throws `invalid` or `too_large` for what the upload is to blame for, an error of the disk as SQLite
   * or the system tells it, and the reason of the signal when it ends before.
   */
  async run(
    order: ImportOrder,
    onProgress: (progress: ImportProgress) => void,
    signal: AbortSignal,
  ): Promise<Imported> {
    await this.enter(signal)
    try {
      return await this.runProcess(order, onProgress, signal)
    } finally {
      this.leave()
    }
  }

  /** Ends all imports; they fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL')
  }

  private enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.running < MAX_RUNNING) {
      this.running++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.waiting.splice(this.waiting.indexOf(turn), 1)
        reject(signal.reason as Error)
      }
      this.waiting.push(turn)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** The place goes to who waits longest, or is free. */
  private leave(): void {
    const next = this.waiting.shift()
    if (next) next()
    else this.running--
  }

  private async runProcess(
    order: ImportOrder,
    onProgress: (progress: ImportProgress) => void,
    signal: AbortSignal,
  ): Promise<Imported> {
    // It may have ended while this waited for its turn.
    signal.throwIfAborted()
    const { maxMs, program = PROGRAM, residentMb = RESIDENT_MB } = this.options
    const child = fork(program, [], {
      env: {},
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.children.add(child)
    return new Promise((resolve, reject) => {
      const end = (error: unknown) => {
        stopWatching()
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        child.kill('SIGKILL')
        reject(error instanceof Error ? error : new Error(String(error)))
      }
      const abort = () => end(signal.reason)
      const timer = setTimeout(
        () => end(tooMuch(`the import took longer than ${Math.round(maxMs / 1000)} seconds`)),
        maxMs,
      )
      const stopWatching = watchMemory(child, residentMb, () => end(takesMemory()))
      signal.addEventListener('abort', abort, { once: true })
      child.on('message', (message: FromImport) => {
        switch (message.kind) {
          case 'ready':
            child.send(order)
            break
          case 'progress':
            onProgress(message.progress)
            break
          case 'done':
            resolve(message.imported)
            break
          default:
            end(failureOf(message))
        }
      })
      child.on('error', end)
      // The heap's limit ends a process by SIGABRT. After its last message nothing is waited for any more.
      child.on('exit', (code, by) => {
        this.children.delete(child)
        end(by === 'SIGABRT' || code === ABORTED ? takesMemory() : new Error('an import was interrupted'))
      })
    })
  }
}

/** Exit code where a process that aborts itself has no signal. */
const ABORTED = 134

const takesMemory = () => tooMuch('the import exceeded the memory limit')

function failureOf(message: Extract<FromImport, { kind: 'refused' | 'failed' }>): Error {
  if (message.kind === 'refused')
    return new AppError(message.code, message.reason, message.message, message.metadata)
  const { name, message: text, code } = message
  return Object.assign(new Error(text), { name, code })
}

/** Looks at the memory that a process has, where the system tells; elsewhere only its heap is limited. */
function watchMemory(child: ChildProcess, residentMb: number, exceeded: () => void): () => void {
  const look = async () => {
    const text = await readFile(`/proc/${child.pid}/statm`, 'utf8').catch(() => '')
    const pages = Number(text.split(' ')[1] ?? 0)
    if (pages * PAGE_BYTES > residentMb * 1024 * 1024) exceeded()
  }
  const timer = setInterval(() => void look(), WATCH_MS)
  return () => clearInterval(timer)
}
