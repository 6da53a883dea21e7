import { setTimeout as delay } from 'node:timers/promises'
import { Backoff, jitter } from '@sheaf/kit/backoff'
import { AppendError } from './append-error'
import { appendStatement, findStatement, freeStatement, type RecordGroup } from './append-statement'
import { LogConnection } from './log-connection'
import { failureOf } from './statement-error'

/** Documents in one statement at most, … */
const MAX_GROUPS = 256
/** … and bytes of their records; a larger group has a statement of its own. */
const MAX_BYTES = 1024 * 1024
/** Mean delay before a statement that had no effect is repeated. */
const RETRY_MS = 10
/** Delays between attempts to connect while writes wait, and while PostgreSQL is away. */
const RECONNECT_MS = 50
const AWAY = { firstMs: 100, longestMs: 1000 }
const CONNECT_TIMEOUT_MS = 2000

/** A statement of a lane that was answered. */
export interface AppendedBatch {
  readonly documents: number
  readonly records: number
  readonly bytes: number
  /** Milliseconds from sending it to its answer. */
  readonly durationMs: number
}

/** Dependencies of AppendLane. */
export interface LaneOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** Milliseconds after which a group without a certain outcome is given up, for a group of this size. */
  readonly boundMs: (bytes: number) => number
  readonly observe: ((batch: AppendedBatch) => void) | undefined
  /** Called when PostgreSQL is found to be away, and when it is back. */
  readonly changed: (isAway: boolean, cause?: unknown) => void
}

/** A group that waits for its outcome. */
interface Waiting {
  readonly group: RecordGroup
  readonly bytes: number
  /** `performance.now()` at which it is given up. */
  readonly until: number
  /** True once a statement with it was sent and not answered. */
  wasSent: boolean
  readonly resolve: () => void
  readonly reject: (error: AppendError) => void
}

/**
 * Appends groups over one connection, one statement at a time: groups that arrive meanwhile share the next one. Order
 * between documents is free; a document has one group at a time.
 */
export class AppendLane {
  private queue: Waiting[] = []
  private connection: LogConnection | undefined
  private isRunning = false
  /** Set while PostgreSQL is away: then groups are refused at once. */
  private away: NodeJS.Timeout | undefined
  private isClosed = false
  private readonly backoff = new Backoff(AWAY)

  constructor(private readonly options: LaneOptions) {}

  /** Appends a group; resolves when it is durably in the log. Rejects with AppendError. */
  append(group: RecordGroup, bytes: number): Promise<void> {
    if (this.away || this.isClosed) return Promise.reject(new AppendError('refused'))
    return new Promise((resolve, reject) => {
      const until = performance.now() + this.options.boundMs(bytes)
      this.queue.push({ group, bytes, until, wasSent: false, resolve, reject })
      if (this.isRunning) return
      this.isRunning = true
      // After the I/O of this turn, so that groups of several documents share the first statement.
      setImmediate(() => void this.run())
    })
  }

  /** Rejects what waits, and closes the connection. */
  close(): void {
    this.isClosed = true
    clearTimeout(this.away)
    this.connection?.close()
    giveUpAll(this.queue.splice(0))
  }

  private async run(): Promise<void> {
    while (this.queue.length > 0) await this.settle(this.takeBatch())
    this.isRunning = false
  }

  private takeBatch(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const waiting of this.queue) {
      bytes += waiting.bytes
      if (count > 0 && (bytes > MAX_BYTES || count >= MAX_GROUPS)) break
      count++
    }
    return this.queue.splice(0, count)
  }

  /** Sends the same groups until the outcome of each is known, or its time is over. Never rejects. */
  private async settle(batch: readonly Waiting[]): Promise<void> {
    for (let left = batch; ;) {
      left = inTime(left)
      if (left.length === 0) return
      const until = Math.min(...left.map((waiting) => waiting.until))
      const connection = await this.connect(until)
      if (!connection) return giveUpAll(left)
      try {
        return await this.send(connection, left, until)
      } catch (error) {
        const failure = failureOf(error)
        if (failure === 'refused') return giveUpAll(left, error)
        if (failure === 'locked') return this.settleFree(connection, left, error)
        if (failure === 'lost') {
          connection.close()
          for (const waiting of left) waiting.wasSent = true
        } else await delay(jitter(RETRY_MS))
      }
    }
  }

  /** Gives up the groups of documents whose rows are held, which must not delay the others. */
  private async settleFree(
    connection: LogConnection,
    batch: readonly Waiting[],
    cause: unknown,
  ): Promise<void> {
    const docs = batch.map(({ group }) => group.doc)
    const free = await connection
      .run(freeStatement(docs), CONNECT_TIMEOUT_MS)
      .catch(() => new Set<string>())
    giveUpAll(
      batch.filter(({ group }) => !free.has(group.doc)),
      cause,
    )
    await this.settle(batch.filter(({ group }) => free.has(group.doc)))
  }

  /** Sends the groups and settles each by the answer. Rejects with the error of a statement. */
  private async send(
    connection: LogConnection,
    batch: readonly Waiting[],
    until: number,
  ): Promise<void> {
    const groups = batch.map(({ group }) => group)
    const since = performance.now()
    const appended = await connection.run(appendStatement(groups), until - since)
    this.measure(batch, since)
    const others: Waiting[] = []
    for (const waiting of batch)
      if (appended.has(waiting.group.doc)) waiting.resolve()
      else if (waiting.wasSent) others.push(waiting)
      else waiting.reject(new AppendError('fenced'))
    if (others.length > 0) await this.settleSent(connection, others, until)
  }

  /** Groups that an earlier statement may have appended: it cannot any more, since their heads differ. */
  private async settleSent(
    connection: LogConnection,
    batch: readonly Waiting[],
    until: number,
  ): Promise<void> {
    const find = findStatement(batch.map(({ group }) => group))
    const found = await connection.run(find, Math.max(1, until - performance.now()))
    for (const { group, resolve, reject } of batch)
      if (found.has(group.doc)) resolve()
      else reject(new AppendError('fenced'))
  }

  private measure(batch: readonly Waiting[], since: number): void {
    this.options.observe?.({
      documents: batch.length,
      records: batch.reduce((sum, { group }) => sum + group.records.length, 0),
      bytes: batch.reduce((sum, { bytes }) => sum + bytes, 0),
      durationMs: performance.now() - since,
    })
  }

  /** The connection, opened again if it is lost; undefined when PostgreSQL was not reached until then. */
  private async connect(until: number): Promise<LogConnection | undefined> {
    if (this.connection?.isUsable) return this.connection
    let cause: unknown
    while (!this.isClosed && performance.now() < until) {
      try {
        return await this.open(until - performance.now())
      } catch (error) {
        cause = error
        const rest = until - performance.now()
        if (rest > 0) await delay(Math.min(RECONNECT_MS, rest))
      }
    }
    if (!this.isClosed) this.goAway(cause)
    return undefined
  }

  private async open(timeoutMs: number): Promise<LogConnection> {
    const connection = await LogConnection.open(this.options.url, timeoutMs)
    if (this.isClosed) connection.close()
    this.connection = connection
    return connection
  }

  /** Refuses what waits and what comes, until PostgreSQL is reached again. */
  private goAway(cause: unknown): void {
    if (!this.away) this.options.changed(true, cause)
    giveUpAll(this.queue.splice(0))
    this.away = setTimeout(() => void this.comeBack(), this.backoff.nextDelay())
    this.away.unref()
  }

  private async comeBack(): Promise<void> {
    try {
      await this.open(CONNECT_TIMEOUT_MS)
    } catch (error) {
      if (!this.isClosed) this.goAway(error)
      return
    }
    this.away = undefined
    this.backoff.reset()
    if (!this.isClosed) this.options.changed(false)
  }
}

/** The groups whose time is not over; the others are given up. */
function inTime(batch: readonly Waiting[]): readonly Waiting[] {
  const now = performance.now()
  giveUpAll(batch.filter(({ until }) => until <= now))
  return batch.filter(({ until }) => until > now)
}

/** Rejects groups without a certain outcome. */
function giveUpAll(batch: readonly Waiting[], cause?: unknown): void {
  for (const { wasSent, reject } of batch)
    reject(new AppendError(wasSent ? 'unknown' : 'refused', cause))
}
