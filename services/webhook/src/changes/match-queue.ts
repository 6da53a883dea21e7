import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import type { Logger } from '@sheaf/kit/logger'
import type { DocumentMatcher } from './document-matcher'
import { MatchSpans } from './match-spans'

/** A message of the change stream. */
export interface ChangeMessage {
  readonly docId: string
  /** Epoch of the document that its entries are of. */
  readonly epoch: string
  /** In order; empty for a malformed message, so that the log is read instead. */
  readonly entries: readonly ChangeEvent[]
  /** W3C traceparent of its publication; empty without one. */
  readonly traceparent: string
  /** Called once its entries are handled, or recorded in the database as pending. */
  readonly done: () => void
  /** Called instead when not even that was possible. */
  readonly failed: () => void
}

/** Dependencies of a MatchQueue. */
export interface QueueOptions {
  readonly matcher: Pick<DocumentMatcher, 'match'>
  /** Called for a document without webhooks. */
  readonly onNone: (docId: string) => void
  /** Records in the database that a document's log has pending entries. */
  readonly defer: (docId: string) => Promise<void>
  readonly log: Logger
}

interface Work {
  readonly messages: ChangeMessage[]
  lookAgain: boolean
}

/** Documents matched concurrently: most of the time is spent waiting for other services. */
const CONCURRENCY = 64
/** Queued messages and documents; `add` waits beyond that. */
const MAX_WAITING = 500
/** Queued messages of one document, to be handled together; further ones are read from its log. */
const MAX_OF_DOCUMENT = 100

/** The queue of matching: sequential within a document, concurrent across documents. */
export class MatchQueue implements AsyncDisposable {
  private readonly work = new Map<string, Work>()
  private readonly active = new Map<string, Promise<void>>()
  private waiting = 0
  private closed = false
  private roomWanted: (() => void)[] = []

  constructor(private readonly options: QueueOptions) {}

  /** Number of queued messages and documents. */
  get size(): number {
    return this.waiting + this.work.size
  }

  /** True while the queue is short. */
  get hasRoom(): boolean {
    return this.size < MAX_WAITING
  }

  /** Queues a message; resolves when another one may follow. */
  async add(message: ChangeMessage): Promise<void> {
    if (this.closed) return message.failed()
    const work = this.workOf(message.docId)
    if (work.messages.length >= MAX_OF_DOCUMENT) return this.deferMessage(message)
    work.messages.push(message)
    if (message.entries.length === 0) work.lookAgain = true
    this.waiting++
    this.fill()
    while (!this.hasRoom && !this.closed)
      await new Promise<void>((resolve) => this.roomWanted.push(resolve))
  }

  /** Schedules reading a document's log. */
  wake(docId: string): void {
    if (this.closed) return
    this.workOf(docId).lookAgain = true
    this.fill()
  }

  /** Waits for matching in progress; queued messages are redelivered later. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    for (const { messages } of this.work.values()) for (const message of messages) message.failed()
    this.work.clear()
    this.letIn()
    await Promise.all(this.active.values())
  }

  private workOf(docId: string): Work {
    const known = this.work.get(docId) ?? { messages: [], lookAgain: false }
    this.work.set(docId, known)
    return known
  }

  private fill(): void {
    for (const [docId, work] of this.work) {
      if (this.active.size >= CONCURRENCY || this.closed) return
      if (this.active.has(docId)) continue
      const { messages, lookAgain } = work
      this.work.delete(docId)
      const run = this.run(docId, messages, lookAgain).finally(() => {
        this.active.delete(docId)
        this.waiting -= messages.length
        this.fill()
        this.letIn()
      })
      this.active.set(docId, run)
    }
  }

  /** Never throws. */
  private async run(docId: string, messages: ChangeMessage[], lookAgain: boolean): Promise<void> {
    const spans = new MatchSpans(messages)
    try {
      const entries = inOrder(messages)
      const traceparentOf = (entry: ChangeEvent) => spans.traceparentOf(entry)
      const request = { entries, epoch: epochOf(messages), lookAgain, traceparentOf }
      const outcome = await spans.run(() => this.options.matcher.match(docId, request))
      if (outcome === 'none') this.options.onNone(docId)
      for (const message of messages) message.done()
      spans.end()
    } catch (error) {
      spans.end(error)
      this.logFailure(docId, error)
      for (const message of messages) message.failed()
    }
  }

  /** Defers a message to the log, so that a busy document does not crowd out others. */
  private async deferMessage({ docId, done, failed }: ChangeMessage): Promise<void> {
    try {
      await this.options.defer(docId)
      done()
    } catch (error) {
      this.logFailure(docId, error)
      failed()
    }
  }

  private logFailure(docId: string, error: unknown): void {
    if (!this.closed) this.options.log.warn({ err: error, docId }, 'failed to process changes')
  }

  private letIn(): void {
    if (!this.hasRoom && !this.closed) return
    for (const enter of this.roomWanted.splice(0)) enter()
  }
}

/** Returns the common epoch of the messages; undefined without one. */
function epochOf([first, ...others]: readonly ChangeMessage[]): string | undefined {
  return others.every(({ epoch }) => epoch === first?.epoch) ? first?.epoch : undefined
}

/**
 * Returns the entries of messages by seq without duplicates: messages may be redelivered, and out of order.
 */
function inOrder(messages: readonly ChangeMessage[]): ChangeEvent[] {
  const bySeq = new Map<number, ChangeEvent>()
  for (const { entries } of messages) for (const entry of entries) bySeq.set(entry.seq, entry)
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}
