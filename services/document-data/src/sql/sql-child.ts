import { fork, type ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { AppError } from '@sheaf/kit/errors'
import { failureOf } from './sql-errors'
import type { FromSqlProcess, SqlMoment, SqlOrder } from './sql-messages'

/** The compiled program, also when this file runs from sources: a process cannot load those. */
const PROGRAM = join(__dirname, '../../dist/sql/sql-process.js')
/** Where the limits of a process are set before it becomes Node. */
const SHELL = '/bin/sh'
/** No core file, no file made or grown, and no more memory than this; a system that cannot do one of these does the rest. */
const withLimits = (bytes: number) =>
  `ulimit -c 0; ulimit -f 0; ulimit -d ${Math.ceil(bytes / 1024)}; exec "$0" "$@"`
/** MiB of the objects of JavaScript, which are few: a chunk, and the values of a row. */
const HEAP_MB = 128
/** Services come first when the processors are busy. */
const NICENESS = 10
/** What a process takes beside what its statements allocate: the program itself. */
const PROGRAM_BYTES = 96 * 1024 ** 2
/** A statement whose caller has gone may still come to its end so soon: a new process costs more. */
const GRACE_MS = 100

/** How processes for SQL are made. */
export interface SqlChildOptions {
  /** Memory that a statement may take. */
  readonly memoryBytes: number
  /** Another program than usual, in tests. */
  readonly program?: string
}

/** The whole result of a statement. */
export interface SqlResult {
  readonly moment: SqlMoment
  readonly chunks: readonly Uint8Array[]
  readonly bytes: number
}

/** Thrown when a process ends that nobody has ended. */
export class ChildEnded extends Error {
  constructor(readonly signal: NodeJS.Signals | null) {
    super(`a SQL process exited: ${signal ?? 'no signal'}`)
  }
}

interface Job {
  receive(message: FromSqlProcess): void
  ended(error: Error): void
}

/** A process that runs SQL which callers wrote, one statement at a time. */
export class SqlChild {
  /** Document of the last statement: its file may still be open there. */
  docId = ''
  isReady = false
  /** True when it must not be used again. */
  isSpent = false
  /** Why this process has ended it, if it has: it was not to be used again, or did not stop. */
  killedAs?: 'spent' | 'stopped'
  private readonly process: ChildProcess
  private job: Job | undefined
  private endedBy: Error | undefined

  constructor(
    { memoryBytes, program = PROGRAM }: SqlChildOptions,
    private readonly events: {
      ready(): void
      ended(child: SqlChild, error: Error): void
    },
  ) {
    const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`]
    // Nothing of this process is for it to see: no environment, no output, no folder but the root.
    this.process = fork(program, [String(process.pid), String(memoryBytes + PROGRAM_BYTES)], {
      env: {},
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      execPath: SHELL,
      execArgv: ['-c', withLimits(memoryBytes), ...node],
    })
    this.process.on('message', (message: FromSqlProcess) => this.receive(message))
    this.process.once('error', (error) => this.end(error))
    this.process.once('exit', (_, signal) => this.end(new ChildEnded(signal)))
    this.hold(false)
  }

  get pid(): number | undefined {
    return this.process.pid
  }

  /**
   * Runs a statement; settles when the process is free again, or has ended. Throws AppError `invalid` for a statement that
   * fails, takes too long or gives too much, the signal's reason when it is aborted, ChildEnded when the process breaks down.
   */
  run(order: SqlOrder, timeoutMs: number, signal: AbortSignal): Promise<SqlResult> {
    return new Promise((resolve, reject) => {
      if (this.endedBy) return reject(this.endedBy)
      const chunks: Uint8Array[] = []
      let bytes = 0
      let verdict: Error | undefined
      const stop = (reason: Error) => {
        verdict = reason
        this.kill()
      }
      const onAbort = () => {
        verdict = signal.reason as Error
        clearTimeout(timer)
        timer = setTimeout(() => this.kill(), GRACE_MS)
      }
      let timer = setTimeout(() => stop(tooSlow()), timeoutMs)
      const settle = (then: () => void) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.job = undefined
        this.hold(false)
        if (verdict) reject(verdict)
        else then()
      }
      this.job = {
        receive: (message) => {
          if (message.kind === 'chunk') {
            chunks.push(message.bytes)
            bytes += message.bytes.length
            return
          }
          if (message.kind === 'ready') return
          this.isSpent = message.spent
          if (message.kind === 'failed') settle(() => reject(failureOf(message)))
          else settle(() => resolve({ moment: message.moment, chunks, bytes }))
        },
        ended: (error) => settle(() => reject(error)),
      }
      this.hold(true)
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) onAbort()
      this.process.send(order, (error) => {
        // It is about to end, and is told of then.
        if (error) this.kill()
      })
    })
  }

  /** Ends the process at once. */
  kill(): void {
    this.killedAs ??= this.isSpent ? 'spent' : 'stopped'
    this.process.kill('SIGKILL')
  }

  /** Only one that works keeps this process alive. */
  private hold(works: boolean): void {
    for (const handle of [this.process, this.process.channel])
      if (works) handle?.ref()
      else handle?.unref()
  }

  private receive(message: FromSqlProcess): void {
    if (message.kind !== 'ready') return this.job?.receive(message)
    this.isReady = true
    try {
      setPriority(this.pid ?? NaN, NICENESS)
    } catch {
      // Where that is not permitted all have the same priority.
    }
    this.events.ready()
  }

  private end(error: Error): void {
    this.isSpent = true
    this.endedBy = error
    this.job?.ended(error)
    this.events.ended(this, error)
  }
}

function tooSlow(): AppError {
  const message = 'a slow statement resulted in a database interrupt'
  return new AppError('invalid', 'SQL_TIMEOUT', message)
}
