import {
  DiscardPolicy,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { nanos, type NatsConnection } from '@nats-io/transport-node'

/** The stream with the changes of all documents. */
const STREAM = 'SHEAF_CHANGES'

/** Subject prefix; each document has its own subject. */
const SUBJECT = 'sheaf.changes'

/** Retention limits of the stream. */
export interface StreamLimits {
  readonly days: number
  readonly megabytes: number
  /** Number of replicas in a NATS cluster. */
  readonly replicas: number
}

const DAY_MS = 24 * 3600 * 1000
/** Window in which NATS recognises a repeated message id. */
const DUPLICATE_WINDOW_MS = 10 * 60 * 1000

/** Returns the subject of a document's changes. */
export function subjectOf(docId: string): string {
  return `${SUBJECT}.${docId}`
}

/** Creates the stream if it is missing; otherwise updates its limits to the settings. */
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
    // Adding an existing stream with other limits fails; in that case the limits are updated.
    await manager.streams.update(STREAM, wanted).catch(() => {
      throw error
    })
  }
}
