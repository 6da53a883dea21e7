import {
  DiscardPolicy,
  jetstreamManager,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { nanos, type NatsConnection } from '@nats-io/transport-node'

/** Retention limits of a stream. */
export interface StreamLimits {
  readonly days: number
  readonly megabytes: number
  /** Number of replicas in a NATS cluster. */
  readonly replicas: number
}

/** A stream of JetStream: its name, the subjects it stores, and how much of them. */
export interface EventStream extends StreamLimits {
  readonly name: string
  readonly subjects: readonly string[]
}

const MEGABYTE = 1024 * 1024
/** Room for a few of the largest messages; smaller limits in the settings are respected. */
const LEAST_MEGABYTES = 32
/** JetStream's error codes for insufficient resources, and for insufficient storage. */
const OUT_OF_ROOM: readonly number[] = [10023, 10047]
const DAY_MS = 24 * 3600 * 1000
/** Window in which NATS recognises a repeated message id. */
const DUPLICATE_WINDOW_MS = 10 * 60 * 1000

/**
 * Creates the stream if it is missing; otherwise updates its limits to the settings. A server without room for
 * the configured size gets half of it, and so on: a stream that keeps fewer events is better than none. An
 * existing stream is never made smaller than it is for lack of room.
 * Returns the size of the stream in megabytes. Throws `JetStreamApiError` when there is no room at all.
 */
export async function ensureStream(nats: NatsConnection, stream: EventStream): Promise<number> {
  const { streams } = await jetstreamManager(nats)
  const existing = await streams.info(stream.name).catch((error: unknown) => {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)
      return undefined
    throw error
  })
  const least = existing ? existing.config.max_bytes / MEGABYTE : LEAST_MEGABYTES
  for (let { megabytes } = stream; ; megabytes = Math.max(least, Math.floor(megabytes / 2))) {
    const wanted = streamConfig({ ...stream, megabytes })
    try {
      await (existing ? streams.update(stream.name, wanted) : streams.add(wanted))
      return megabytes
    } catch (error) {
      if (!isOutOfRoom(error) || megabytes <= least) throw error
    }
  }
}

function isOutOfRoom(error: unknown): boolean {
  return error instanceof JetStreamApiError && OUT_OF_ROOM.includes(error.code)
}

function streamConfig(stream: EventStream): StreamConfig {
  const config: Partial<StreamConfig> & { name: string } = {
    name: stream.name,
    subjects: [...stream.subjects],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: nanos(stream.days * DAY_MS),
    max_bytes: stream.megabytes * MEGABYTE,
    num_replicas: stream.replicas,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  }
  return config as StreamConfig
}
