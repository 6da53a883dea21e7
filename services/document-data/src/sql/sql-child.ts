import type { ProcessExit } from '../processes/hosted-process'
import { compiledProgram, exceededMemory, NodeProgram } from '../processes/node-program'
import type { OnRevoked } from '../store/document'
import { failureOf } from './sql-errors'
import type { FromSqlProcess, SqlMoment, SqlRequest } from './sql-messages'
import { TimeLimit } from './time-limit'

/** JavaScript heap in MiB. Small, because it holds only one chunk and the values of one row. */
const HEAP_MB = 128
/** Niceness: requests of other callers take precedence when the processors are busy. */
const NICENESS = 10
/** Memory of the program itself, in addition to what its statements allocate. */
const PROGRAM_BYTES = 96 * 1024 ** 2
const MEMORY_CHECK_MS = 50
/**
 * A statement whose caller has disconnected may finish within this time: starting a new process costs more.
 */
const GRACE_MS = 100

/** Options for starting SQL processes. */
export interface SqlChildOptions {
  /** Memory available to a statement, in bytes. */
  readonly memoryBytes: number
  /** Overrides the compiled program in tests. */
  readonly program?: string
}

/** The complete result of a statement. */
export interface SqlResult {
  readonly moment: SqlMoment
  readonly chunks: readonly Uint8Array[]
  readonly bytes: number
}

/** Thrown when a process ended before it finished a statement. */
export class ChildEnded extends Error {
  /** True when it may have run out of memory; otherwise it crashed. */
  readonly isOfMemory: boolean
  /** True when another process may have killed it, such as the kernel under memory pressure. */
  readonly isFromOutside: boolean

  constructor(exit: ProcessExit) {
    super(`a SQL process exited: ${exit.signal ?? exit.cause}`, { cause: exit.error })
    const isKilled = exit.signal === 'SIGKILL'
    this.isOfMemory = exceededMemory(exit) || (isKilled && exit.cause !== 'protocol')
    this.isFromOutside = isKilled && exit.cause !== 'memory'
  }
}

/** What interrupts a statement. */
export interface Interruptions {
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal
  /** The document is closed or deleted. */
  readonly onRevoked: OnRevoked
}

interface Job {
  receive(message: FromSqlProcess): void
  ended(error: Error): void
}

/** A process that runs SQL written by callers, one statement at a time. */
export class SqlChild {
  /** Document of the last statement: its file may still be open in the process. */
  docId = ''
  isReady = false
  /** True when the process must not be reused. */
  isSpent = false
  /** Why `kill` was called, if it was: the process must not be reused, or did not stop in time. */
  killedAs?: 'spent' | 'stopped'
  private readonly program: NodeProgram<SqlRequest, FromSqlProcess>
  private job: Job | undefined
  private endedBy: Error | undefined

  /** Processor time at the end of the latest statement: asking the system before each would take as long as a small one. */
  processorMs = 0

  constructor(
    { memoryBytes, program = compiledProgram('sql/sql-process.js') }: SqlChildOptions,
    private readonly events: {
      ready(): void
      ended(child: SqlChild, error: Error): void
    },
  ) {
    const residentBytes = memoryBytes + PROGRAM_BYTES
    this.program = new NodeProgram(
      {
        module: program,
        args: [String(residentBytes)],
        heapMb: HEAP_MB,
        niceness: NICENESS,
        limits: { dataBytes: memoryBytes, fileBytes: 0, residentBytes },
        memoryCheckMs: MEMORY_CHECK_MS,
      },
      {
        onMessage: (message) => this.receive(message),
        onExit: (exit) => this.end(new ChildEnded(exit)),
      },
    )
    this.program.setWorking(false)
  }

  /** True when it can run another statement, now or after the current one. */
  get isUsable(): boolean {
    return this.isReady && !this.isSpent && !this.program.hasExited
  }

  get pid(): number | undefined {
    return this.program.pid
  }

  /**
   * Runs a statement; settles when the process is free again or has ended. Throws AppError: `invalid` for a
   * statement that fails, takes more than `timeoutMs` of processor time or exceeds the result limit,
   * `unavailable` when the machine is too busy for it; the reason for which it was interrupted; and ChildEnded when the
   * process ends.
   */
  run(
    request: SqlRequest,
    timeoutMs: number,
    { signal, onRevoked }: Interruptions,
  ): Promise<SqlResult> {
    return new Promise((resolve, reject) => {
      if (this.endedBy) return reject(this.endedBy)
      const chunks: Uint8Array[] = []
      let bytes = 0
      const append = (chunk: Uint8Array) => {
        chunks.push(chunk)
        bytes += chunk.length
      }
      let stopReason: Error | undefined
      const stop = (reason: Error) => {
        stopReason = reason
        this.kill()
      }
      const limit = new TimeLimit(this, timeoutMs, stop)
      let grace: NodeJS.Timeout | undefined
      const interrupt = (reason: Error) => {
        if (this.job !== job || stopReason) return
        stopReason = reason
        limit[Symbol.dispose]()
        grace = setTimeout(() => this.kill(), GRACE_MS)
      }
      const onAbort = () => interrupt(signal.reason as Error)
      const settle = (then: () => void) => {
        limit[Symbol.dispose]()
        clearTimeout(grace)
        signal.removeEventListener('abort', onAbort)
        this.job = undefined
        this.program.setWorking(false)
        if (stopReason) reject(stopReason)
        else then()
      }
      const job: Job = {
        receive: (message) => {
          if (message.kind === 'chunk') return append(message.bytes)
          if (message.kind === 'ready') return
          this.isSpent = message.spent
          this.processorMs = message.processorMs
          if (message.kind === 'failed') settle(() => reject(failureOf(message)))
          else {
            append(message.bytes)
            settle(() => resolve({ moment: message.moment, chunks, bytes }))
          }
        },
        ended: (error) => settle(() => reject(error)),
      }
      this.job = job
      this.program.setWorking(true)
      onRevoked(interrupt)
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) onAbort()
      this.program.send(request)
    })
  }

  /** Ends the process at once. */
  kill(): void {
    this.killedAs ??= this.isSpent ? 'spent' : 'stopped'
    this.program.kill()
  }

  private receive(message: FromSqlProcess): void {
    if (message.kind !== 'ready') return this.job?.receive(message)
    this.isReady = true
    this.processorMs = message.processorMs
    this.events.ready()
  }

  private end(error: Error): void {
    this.isSpent = true
    this.endedBy = error
    this.job?.ended(error)
    this.events.ended(this, error)
  }
}
