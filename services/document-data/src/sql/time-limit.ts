import { AppError } from '@sheaf/kit/errors'
import { processorMs } from '../processes/process-control'

/**
 * Wall-clock time that a statement may take, as a multiple of its processor time: at its low priority it gets a
 * tenth of a processor that is needed elsewhere.
 */
const WALL_FACTOR = 20
/** A statement may always take this much wall-clock time, in milliseconds. */
const MIN_WALL_MS = 5_000
/** Time between two looks at a statement that is short of its limit. */
const MIN_WAIT_MS = 10
const RETRY_MS = '1000'

/**
 * The time limit of a statement. It counts the processor time of its process, so that a busy machine does not
 * make a quick statement fail; where the system does not tell processor time, it counts wall-clock time. In
 * any case the statement ends after twenty times as long.
 */
export class TimeLimit implements Disposable {
  private readonly startedAt = performance.now()
  private readonly wallMs: number
  private timer: NodeJS.Timeout

  /**
   * Starts counting for a process, which has used `processorMs` before. `expire` is called once, unless the limit is disposed
   * of before: with AppError `invalid` for a slow statement, `unavailable` when the machine has not given it the time.
   */
  constructor(
    private readonly process: { readonly pid: number | undefined; readonly processorMs: number },
    private readonly limitMs: number,
    private readonly expire: (reason: AppError) => void,
  ) {
    this.wallMs = Math.max(limitMs * WALL_FACTOR, MIN_WALL_MS)
    this.timer = setTimeout(() => this.check(), limitMs)
  }

  /** Stops counting. */
  [Symbol.dispose](): void {
    clearTimeout(this.timer)
  }

  private check(): void {
    const elapsedMs = performance.now() - this.startedAt
    const leftMs = this.limitMs - (this.usedMs() ?? elapsedMs)
    if (leftMs <= 0) return this.expire(tooSlow())
    const wallLeftMs = this.wallMs - elapsedMs
    if (wallLeftMs <= 0) return this.expire(tooBusy())
    const waitMs = Math.min(Math.max(leftMs, MIN_WAIT_MS), wallLeftMs)
    this.timer = setTimeout(() => this.check(), waitMs)
  }

  private usedMs(): number | undefined {
    const { pid, processorMs: before } = this.process
    const now = pid === undefined ? undefined : processorMs(pid)
    return now === undefined ? undefined : now - before
  }
}

function tooSlow(): AppError {
  const message = 'a slow statement resulted in a database interrupt'
  return new AppError('invalid', 'SQL_TIMEOUT', message)
}

function tooBusy(): AppError {
  return new AppError(
    'unavailable',
    'SERVICE_BUSY',
    'the server is too busy to complete the SQL statement in time, retry later',
    { retryAfterMs: RETRY_MS },
  )
}
