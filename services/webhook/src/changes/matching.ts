import { setMaxListeners } from 'node:events'
import type { Closer } from '@sheaf/kit/lifecycle'
import type { Context } from '../context'
import { defer, readConsumerName } from '../db/progress'
import { observeMatching } from '../metrics'
import { ChangeConsumer } from './change-consumer'
import { DocumentMatcher } from './document-matcher'
import { MatchQueue } from './match-queue'
import { WatchedDocuments } from './watched-documents'

/** Options of matching. */
export interface MatchingOptions {
  readonly natsUrl: string
  /** Called whenever the connection to NATS is established or lost. */
  readonly onConnected: (connected: boolean) => void
}

/** Starts to convert changes of documents to queued events, until `closer` closes it. */
export async function startMatching(
  ctx: Context,
  closer: Closer,
  { natsUrl, onConnected }: MatchingOptions,
): Promise<void> {
  const { db, documentCalls, queueLimits: limits, log, notifier } = ctx
  const stop = new AbortController()
  // Every call in progress adds a listener.
  setMaxListeners(0, stop.signal)
  const onQueued = () => notifier.deliver()
  const matcher = new DocumentMatcher({
    db,
    documentCalls,
    limits,
    log,
    onQueued,
    signal: stop.signal,
  })
  const queue = new MatchQueue({
    matcher,
    onNone: (docId) => watched.remove(docId),
    defer: (docId) => defer(db, docId),
    log,
  })
  const watched = new WatchedDocuments({
    db,
    log,
    onDue: (docId) => queue.wake(docId),
    hasRoom: () => queue.hasRoom,
  })
  const consumer = closer.use(
    new ChangeConsumer({
      natsUrl,
      consumerName: await readConsumerName(db),
      log,
      onMessage: (message) => queue.add(message),
      wants: (docId) => watched.has(docId),
      onGap: () => watched.checkAll(),
      onConnected,
    }),
  )
  closer.use(queue)
  const observed = observeMatching(queue)
  closer.defer(() => observed[Symbol.dispose]())
  closer.defer(() => stop.abort())
  closer.defer(() => consumer.pause())
  closer.defer(() => watched[Symbol.dispose]())
  await watched.start()
  notifier.match = (docId) => watched.add(docId)
  consumer.start()
}
