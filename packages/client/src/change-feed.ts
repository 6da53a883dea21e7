import type { CallOptions } from './call-options.ts'
import { createCancellation, requireActive, sleep } from './cancellation.ts'
import type { Change } from './change.ts'
import type { Connection, OpenResponse } from './connection.ts'
import { ConflictError, SheafError } from './errors.ts'
import { readEvents } from './event-stream.ts'
import { defaultLimits, delayBefore, mergeLimits } from './retry-policy.ts'

/** The server sends a comment after 15 seconds of silence; without any, the connection is dead. */
const SILENCE_MS = 45_000

/** Options of reading changes. */
export interface ChangesOptions extends CallOptions {
  /** Position after which to begin: `seq` of a page or of the last change that was handled. Default: 0, for all changes. */
  readonly after?: number
  /** False to end with the latest change, instead of waiting for further ones. */
  readonly follow?: boolean
  /** Called with true when the stream is connected, and with false when it has ended or broken and is made again. */
  readonly onConnection?: (isConnected: boolean) => void
  /** Time without a sign of life after which the connection is made again, in milliseconds. Default: 45,000. */
  readonly silenceMs?: number
}

/** The changes of a document, without an end unless `follow` is false. */
export function readChanges(
  connection: Connection,
  path: string,
  options: ChangesOptions,
): AsyncGenerator<Change, void, undefined> {
  return options.follow === false
    ? readUntilLatest(connection, path, options)
    : followChanges(connection, path, options)
}

async function* readUntilLatest(
  connection: Connection,
  path: string,
  { after = 0, ...options }: ChangesOptions,
): AsyncGenerator<Change, void, undefined> {
  interface Body {
    changes: Change[]
    latest: number
  }
  for (let last = after; ;) {
    const query = { since: last }
    const read = await connection.json<Body>({ method: 'GET', path, query }, options)
    yield* read.changes
    const end = read.changes.at(-1)?.seq ?? read.latest
    if (end >= read.latest) return
    last = end
  }
}

/** Connects again after the last change whenever the stream ends or breaks, until connecting is refused. */
async function* followChanges(
  connection: Connection,
  path: string,
  { after = 0, silenceMs = SILENCE_MS, onConnection, ...options }: ChangesOptions,
): AsyncGenerator<Change, void, undefined> {
  const limits = mergeLimits(defaultLimits, options.retry)
  const headers = { accept: 'text/event-stream' }
  let last = after
  for (let failures = 1; ; failures++) {
    const query = { since: last }
    const open = await connection.open({ method: 'GET', path, query, headers }, options)
    const start = Date.now()
    onConnection?.(true)
    try {
      for await (const change of streamChanges(open, silenceMs)) {
        if (change.seq <= last) continue
        last = change.seq
        failures = 0
        yield change
      }
    } catch (error) {
      requireActive(options.signal)
      // A change that cannot be parsed would be the same after another connection.
      if (error instanceof SyntaxError || error instanceof SheafError) throw error
    } finally {
      open.cancellation.abort()
      open.cancellation.dispose()
    }
    onConnection?.(false)
    // Streams end regularly, after minutes; only those that end at once are made again ever later.
    if (Date.now() - start > limits.maxDelayMs) failures = 0
    await sleep(delayBefore(failures + 1, undefined, limits), options.signal)
  }
}

/** Yields the changes of one connection until it ends. */
async function* streamChanges(
  { response, cancellation }: OpenResponse,
  silenceMs: number,
): AsyncGenerator<Change, void, undefined> {
  if (!response.body) return
  const silence = createCancellation(undefined, silenceMs)
  silence.signal.addEventListener('abort', cancellation.abort, { once: true })
  try {
    for await (const { name, data } of readEvents(response.body, silence.restart)) {
      if (name === 'end') return requireSameLog(data)
      if (name === 'change') yield JSON.parse(data) as Change
    }
  } finally {
    silence.dispose()
  }
}

/**
 * Access was revoked, or the document deleted: the next attempt to connect reports it with its status. A document that was
 * replaced has another log, in which the position would be that of another change.
 */
function requireSameLog(data: string): void {
  const { error, details } = JSON.parse(data) as { error: string; details?: { reason?: string } }
  if (details?.reason !== 'CHANGES_CUT') return
  throw new ConflictError({ status: 409, reason: 'CHANGES_CUT', message: error, details })
}
