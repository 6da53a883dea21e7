import { setTimeout as delay } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Logger } from './logger'

/** Options of `connectNats`. */
export interface NatsOptions {
  /** `nats://user:password@host:port`, several separated by commas. */
  readonly url: string
  /** Name of the connection as NATS shows it. */
  readonly name: string
  readonly log: Logger
  /** Ends the wait for the first connection; connectNats then throws. */
  readonly signal?: AbortSignal
}

const FIRST_RETRY_MS = 500

/** Separates the credentials from a NATS address; the client would otherwise include them in errors and events. */
export function splitNatsUrl(url: string): { servers: string[]; user?: string; pass?: string } {
  const parsed = url
    .split(',')
    .map((part) => new URL(part.includes('://') ? part.trim() : `nats://${part.trim()}`))
  const withUser = parsed.find(({ username }) => username !== '')
  return {
    servers: parsed.map(({ hostname, port }) => `${hostname}:${port === '' ? '4222' : port}`),
    ...(withUser && {
      user: decodeURIComponent(withUser.username),
      pass: decodeURIComponent(withUser.password),
    }),
  }
}

/** Connects to NATS. Retries the first connection until it succeeds, and reconnects without limit. */
export async function connectNats(options: NatsOptions): Promise<NatsConnection> {
  const { log, signal } = options
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted()
    try {
      const connection = await connectOnce(options)
      void logStatus(connection, log)
      return connection
    } catch (error) {
      if (failures === 0) log.warn({ err: error }, 'NATS is unavailable, retrying')
    }
    await delay(FIRST_RETRY_MS, undefined, { signal })
  }
}

// The client's own wait for the first connection could not be aborted.
function connectOnce({ url, name }: NatsOptions): Promise<NatsConnection> {
  return connect({
    ...splitNatsUrl(url),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: FIRST_RETRY_MS,
    ignoreAuthErrorAbort: true,
    // Otherwise the client captures a stack trace for each message, in case it fails.
    noAsyncTraces: true,
  })
}

async function logStatus(connection: NatsConnection, log: Logger): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') log.warn('lost the connection to NATS')
    if (status.type === 'reconnect') log.info('reconnected to NATS')
  }
}
