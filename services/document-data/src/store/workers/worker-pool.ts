import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AppError } from '@sheaf/kit/errors'
import type { CopyForm, CopyMoment } from '../exports/document-copy'
import type { ReadLimits } from '../reads/record-chunks'
import { translateSqliteError } from '../sqlite/sqlite-errors'
import type { FromWorker, ThreadPlan, ToWorker, SerializedError } from './worker-messages'
import { AHEAD, WorkerRead } from './worker-read'

/** The compiled program of a thread, even when this file runs from sources, which a thread cannot load. */
const PROGRAM = join(__dirname, '../../../dist/store/workers/worker-thread.js')

/** MiB of short-lived objects in a thread, which needs few; the default is 48. */
const YOUNG_MB = 8

/** Options of the threads of the document store. */
export interface WorkerPoolOptions {
  /** Threads at most; each starts when it is first needed. */
  readonly size: number
  /** File that a thread runs; replaced in tests. */
  readonly program?: string
  /** Called with the error of every thread that dies. */
  readonly onCrash: (error: unknown) => void
}

type Answer = Exclude<FromWorker, { kind: 'failed' }>

/** Receives the messages of a thread. */
interface Job {
  receive(message: Answer): void
  fail(error: Error): void
}

interface Thread {
  readonly worker: Worker
  readonly jobs: Map<number, Job>
}

/**
 * A few threads for reads that would block the event loop, and for index builds. When a thread dies, its
 * reads fail with `unavailable`; the next read starts another thread. A working thread is never terminated: a
 * statement of SQLite ends only when it is done or by the guard that long ones contain.
 */
export class WorkerPool implements AsyncDisposable {
  private readonly threads = new Set<Thread>()
  private nextId = 1
  private closed = false

  constructor(private readonly options: WorkerPoolOptions) {}

  /** False when threads are disabled or the pool is closed. */
  get available(): boolean {
    return this.options.size > 0 && !this.closed
  }

  /** Starts a read; `ended` is called once when it has ended, in any way. */
  read(path: string, plan: ThreadPlan, limits: ReadLimits, ended: () => void): WorkerRead {
    const id = this.nextId++
    const thread = this.choose()
    const stop = new Int32Array(new SharedArrayBuffer(4))
    const line = {
      more: () => post(thread, { kind: 'more', id }),
      end: () => {
        Atomics.store(stop, 0, 1)
        post(thread, { kind: 'end', id })
      },
    }
    const read = new WorkerRead(line, limits, () => {
      thread.jobs.delete(id)
      ended()
    })
    if (limits.signal?.aborted) return read
    thread.jobs.set(id, read)
    post(thread, { kind: 'read', id, path, plan, stop, ahead: AHEAD })
    return read
  }

  /** Runs writing statements on a separate connection. Throws the translated errors of SQLite. */
  async run(path: string, statements: readonly string[]): Promise<void> {
    await this.ask((id) => ({ kind: 'run', id, path, statements }))
  }

  /** Runs `copyDocument`. Throws the translated errors of SQLite. */
  async copy(path: string, to: string, form: CopyForm): Promise<CopyMoment> {
    const answer = await this.ask((id) => ({ kind: 'copy', id, path, to, form }))
    if (answer.kind !== 'copied') throw new Error('a worker thread gave another answer')
    return answer.moment
  }

  /** Copies a file page by page, as it is at one moment. Throws the translated errors of SQLite. */
  async duplicate(path: string, to: string): Promise<void> {
    await this.ask((id) => ({ kind: 'duplicate', id, path, to }))
  }

  /** Checks a file. Throws `unavailable` when it is damaged, and the translated errors of SQLite. */
  async verify(path: string): Promise<void> {
    await this.ask((id) => ({ kind: 'verify', id, path }))
  }

  /** Takes a copy of a document back to a moment; see `takeBack`. Throws the translated errors of SQLite. */
  async takeBack(path: string, seq: number): Promise<void> {
    await this.ask((id) => ({ kind: 'takeBack', id, path, seq }))
  }

  /** Sends a request that has one answer. */
  private ask(requestOf: (id: number) => ToWorker): Promise<Answer> {
    const id = this.nextId++
    const thread = this.choose()
    return new Promise<Answer>((resolve, reject) => {
      thread.jobs.set(id, {
        receive: (message) => {
          thread.jobs.delete(id)
          resolve(message)
        },
        fail: (error) => {
          thread.jobs.delete(id)
          reject(error)
        },
      })
      post(thread, requestOf(id))
    })
  }

  /** Ends all threads; their reads fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    const reason = new AppError('unavailable', 'DOCUMENT_CLOSED', 'the document was closed')
    await Promise.all(
      [...this.threads].map((thread) => {
        this.drop(thread, reason)
        return thread.worker.terminate()
      }),
    )
  }

  /** The least busy thread; a new one if none is free and the limit is not reached. */
  private choose(): Thread {
    const [least] = [...this.threads].sort((a, b) => a.jobs.size - b.jobs.size)
    if (least && (least.jobs.size === 0 || this.threads.size >= this.options.size)) return least
    return this.start()
  }

  private start(): Thread {
    const worker = new Worker(this.options.program ?? PROGRAM, {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    const thread: Thread = { worker, jobs: new Map() }
    this.threads.add(thread)
    // A waiting thread must not keep the process alive.
    worker.unref()
    worker.on('message', (message: FromWorker) => {
      const job = thread.jobs.get(message.id)
      if (message.kind === 'failed')
        job?.fail(translateSqliteError(deserializeError(message.error)) as Error)
      else job?.receive(message)
    })
    worker.on('error', (error) => this.crash(thread, error))
    worker.on('exit', () => this.crash(thread, new Error('a worker thread exited')))
    return thread
  }

  private crash(thread: Thread, error: unknown): void {
    if (!this.threads.has(thread)) return
    this.options.onCrash(error)
    this.drop(thread, new AppError('unavailable', 'WORKER_FAILED', 'a long read was interrupted'))
  }

  private drop(thread: Thread, reason: AppError): void {
    this.threads.delete(thread)
    for (const job of [...thread.jobs.values()]) job.fail(reason)
  }
}

function post({ worker }: Thread, message: ToWorker): void {
  worker.postMessage(message)
}

/** Restores an error of a thread: an AppError, or an error as the driver throws it. */
function deserializeError({ name, message, code, appError }: SerializedError): Error {
  if (appError) return new AppError(appError.code, appError.reason, message, appError.metadata)
  return Object.assign(new Error(message), { name, code })
}
