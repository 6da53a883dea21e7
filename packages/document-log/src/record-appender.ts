import { AppendLane, type AppendedBatch, type LaneOptions } from './append-lane'
import type { RecordGroup } from './append-statement'

/** Lanes for small groups. */
const LANES = 4
/** Groups with more bytes than this have a lane of their own, so that they delay no small ones. */
const BIG_BYTES = 256 * 1024
/** Within a second, less what else a write takes. */
const ANSWER_MS = 800
/** Bytes that PostgreSQL stores in a millisecond at least. */
const SLOWEST = 10_000

/** Options of RecordAppender. */
export interface AppenderOptions extends Pick<LaneOptions, 'url' | 'changed'> {
  /** Called after every statement that was answered. */
  readonly observe?: (batch: AppendedBatch) => void
  /** Milliseconds within which a small write is answered when PostgreSQL is away; 800 by default. */
  readonly answerMs?: number
}

/** Appends records to the logs of documents, over a few connections, each of which opens when it is used. */
export class RecordAppender implements Disposable {
  private readonly lanes: readonly AppendLane[]
  private readonly big: AppendLane

  constructor({ observe, answerMs = ANSWER_MS, ...options }: AppenderOptions) {
    const boundMs = (bytes: number) => answerMs + bytes / SLOWEST
    const open = () => new AppendLane({ ...options, observe, boundMs })
    this.lanes = Array.from({ length: LANES }, open)
    this.big = open()
  }

  /**
   * Appends records; resolves when they are durably in the log. A document must have one group at a time. Rejects with
   * AppendError within a second by default, or more for megabytes: with `unknown` the document must be opened again before its
   * next group, because a statement may still arrive.
   */
  append(group: RecordGroup): Promise<void> {
    const bytes = group.records.reduce((sum, { body }) => sum + body.length, 0)
    return this.laneOf(group.doc, bytes).append(group, bytes)
  }

  [Symbol.dispose](): void {
    for (const lane of [...this.lanes, this.big]) lane.close()
  }

  private laneOf(doc: string, bytes: number): AppendLane {
    if (bytes > BIG_BYTES) return this.big
    return this.lanes[parseInt(doc.slice(0, 2), 16) % LANES] ?? this.big
  }
}
