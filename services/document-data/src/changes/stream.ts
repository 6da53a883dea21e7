import {
  DiscardPolicy,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { nanos, type NatsConnection } from '@nats-io/transport-node'

/** The stream of all changes of all documents. */
const STREAM = 'SHEAF_CHANGES'

/** Subjects below this, one per document. */
const SUBJECT = 'sheaf.changes'

/** How much the stream keeps. */
export interface StreamLimits {
  readonly days: number
  readonly megabytes: number
  /** On how many servers of a cluster it is kept. */
  readonly replicas: number
}

const DAY_MS = 24 * 3600 * 1000
/** A message that is sent again within this time under the same id is recognised. */
const DUPLICATE_WINDOW_MS = 10 * 60 * 1000

/** The subject of a document's changes. */
export function subjectOf(docId: string): string {
  return `${SUBJECT}.${docId}`
}

/** Makes the stream when it is not there, and brings its limits to the settings when it is. */
export async function ensureStream(nats: NatsConnection, limits: StreamLimits): Promise<void> {
  const manager = await jetstreamManager(nats)
  const wanted: Partial<StreamConfig> & { name: string } = {
    name: STREAM,
    subjects: [`${SUBJECT}.*`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: nanos(limits.days * DAY_MS),
    max_bytes: limits.megabytes * 1024 * 1024,
    num_replicas: limits.replicas,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  }
  try {
    await manager.streams.add(wanted)
  } catch (error) {
    // Adding what is there with other limits fails; then its limits are changed.
    await manager.streams.update(STREAM, wanted).catch(() => {
      throw error
    })
  }
}
