import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import type { Logger } from '@sheaf/kit/logger'
import type { DocumentMatcher } from './document-matcher'
import { MatchSpans } from './match-spans'

/** A message of the change stream. */
export interface ChangeMessage {
  readonly docId: string
  /** Epoch of the document that its entries are of. */
  readonly epoch: string
  /** In order; none when the message cannot be read, so that only the log tells. */
  readonly entries: readonly ChangeEvent[]
  /** W3C traceparent of its publication; empty when there is none. */
  readonly traceparent: string
  /** Called once: its entries are handled, or noted in the database as still to do. */
  readonly done: () => void
  /** Called instead when not even that could be noted. */
  readonly failed: () => void
}

/** What a MatchQueue needs. */
export interface QueueOptions {
  readonly matcher: Pick<DocumentMatcher, 'match'>
  /** Called when a document turns out to have no webhooks. */
  readonly onNone: (docId: string) => void
  /** Notes in the database that a document's log holds more. */
  readonly defer: (docId: string) => Promise<void>
  readonly log: Logger
}

interface Work {
  readonly messages: ChangeMessage[]
  lookAgain: boolean
}

/** Documents that are worked on at the same time: most of their time goes to waiting for others. */
const CONCURRENCY = 64
/** Messages and documents that wait here; who brings more waits. */
const MAX_WAITING = 500
/** Messages of one document that wait here, to be handled in one go; more of them are left to its log. */
const MAX_OF_DOCUMENT = 100

/** What waits to be matched: of one document in order, of several at the same time. */
export class MatchQueue implements AsyncDisposable {
  private readonly work = new Map<string, Work>()
  private readonly active = new Map<string, Promise<void>>()
  private waiting = 0
  private closed = false
  private roomWanted: (() => void)[] = []

  constructor(private readonly options: QueueOptions) {}

  /** Messages, and documents, that wait. */
  get size(): number {
    return this.waiting + this.work.size
  }

  /** True while there is not much to do. */
  get hasRoom(): boolean {
    return this.size < MAX_WAITING
  }

  /** Handles a message; resolves when another one may come. */
  async add(message: ChangeMessage): Promise<void> {
    if (this.closed) return message.failed()
    const work = this.workOf(message.docId)
    if (work.messages.length >= MAX_OF_DOCUMENT) return this.leave(message)
    work.messages.push(message)
    if (message.entries.length === 0) work.lookAgain = true
    this.waiting++
    this.fill()
    while (!this.hasRoom && !this.closed)
      await new Promise<void>((resolve) => this.roomWanted.push(resolve))
  }

  /** Has a document's log looked into. */
  wake(docId: string): void {
    if (this.closed) return
    this.workOf(docId).lookAgain = true
    this.fill()
  }

  /** Waits for what is under way; what waits is left to be delivered again. */
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

  /** Leaves a message to the log: a document that comes too fast takes no room from the others. */
  private async leave({ docId, done, failed }: ChangeMessage): Promise<void> {
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

/** The epoch that all of the messages are of; undefined when there is none. */
function epochOf([first, ...others]: readonly ChangeMessage[]): string | undefined {
  return others.every(({ epoch }) => epoch === first?.epoch) ? first?.epoch : undefined
}

/** The entries of some messages by their seq, each once: a message may come again, and then out of order. */
function inOrder(messages: readonly ChangeMessage[]): ChangeEvent[] {
  const bySeq = new Map<number, ChangeEvent>()
  for (const { entries } of messages) for (const entry of entries) bySeq.set(entry.seq, entry)
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}
