import { ensureStream, type StreamLimits } from '@sheaf/kit/nats-stream'
import type { NatsConnection } from '@nats-io/transport-node'

/** The stream with the changes of all documents. */
const STREAM = 'SHEAF_CHANGES'

/** Subject prefix; each document has its own subject. */
const SUBJECT = 'sheaf.changes'

/** Returns the subject of a document's changes. */
export function subjectOf(docId: string): string {
  return `${SUBJECT}.${docId}`
}

/** Creates or updates the stream of changes and returns its size in megabytes (see `ensureStream`). */
export function ensureChangeStream(nats: NatsConnection, limits: StreamLimits): Promise<number> {
  return ensureStream(nats, { name: STREAM, subjects: [`${SUBJECT}.*`], ...limits })
}
