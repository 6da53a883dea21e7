import type { CallOptions } from './call-options.ts'
import { createCancellation, requireActive, sleep } from './cancellation.ts'
import type { Change } from './change.ts'
import type { Call, Connection, OpenResponse } from './connection.ts'
import { ConflictError, InvalidRequestError, SheafError } from './errors.ts'
import { readEvents } from './event-stream.ts'
import { defaultLimits, delayBefore, mergeLimits } from './retry-policy.ts'
import type { PresentSession } from './presence.ts'
import { readEpoch } from './selection.ts'

/** The server sends a comment after 15 seconds of silence; without any, the connection is dead. */
const SILENCE_MS = 45_000
const REPLACED = 'the document was replaced, read it again'

/** Options of reading changes. */
export interface ChangesOptions extends CallOptions {
  /** Position after which to begin: `seq` of a page or of the last change that was handled. Default: 0, for all changes. */
  readonly after?: number
  /**
   * `etag` of what was read at `after`, or of any earlier state of the same document. With it the feed also fails if the document
   * was replaced before it began.
   */
  readonly etag?: string
  /** False to end with the latest change, instead of waiting for further ones. */
  readonly follow?: boolean
  /** Called with true when the stream is connected, and with false when it has ended or broken and is made again. */
  readonly onConnection?: (isConnected: boolean) => void
  /**
   * Makes the user present in the document while the feed follows it: a name chosen at random, 8 to 64 letters, digits, dashes or
   * underscores. Others see where it is by `setPresence`.
   */
  readonly session?: string
  /** With `session`: called with all sessions that are present, at first and for each change. */
  readonly onPresence?: (sessions: readonly PresentSession[]) => void
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
  { after = 0, etag, ...options }: ChangesOptions,
): AsyncGenerator<Change, void, undefined> {
  interface Body {
    changes: Change[]
    latest: number
  }
  const log = new FollowedLog(etag)
  for (let last = after; ;) {
    const query = { since: last }
    const reading = connection.jsonWithHeaders<Body>({ method: 'GET', path, query }, options)
    const { value, headers } = await reading.catch(log.rethrow)
    log.requireSame(headers)
    yield* value.changes
    const end = value.changes.at(-1)?.seq ?? value.latest
    if (end >= value.latest) return
    last = end
  }
}

/**
 * The log that a feed reads. A document that was restored from a backup has another one, in which the positions of the former are
 * those of other changes.
 */
class FollowedLog {
  #epoch: string | undefined

  /** @param etag of the document, where the caller knows one; else the first response tells */
  constructor(etag = '') {
    this.#epoch = readEpoch(etag)
  }

  /** Throws ConflictError `CHANGES_CUT` for a response from another log. */
  requireSame(headers: Headers): void {
    const epoch = readEpoch(headers.get('etag') ?? '')
    this.#epoch ??= epoch
    if (epoch !== undefined && epoch !== this.#epoch) throw toCut(REPLACED)
  }

  /** Throws the error of a refused call: ConflictError `CHANGES_CUT` where the log ends before a position that it had. */
  readonly rethrow = (error: unknown): never => {
    const isShorter = error instanceof InvalidRequestError && error.details.latest !== undefined
    throw isShorter && this.#epoch !== undefined ? toCut(REPLACED) : error
  }
}

/** Connects again after the last change whenever the stream ends or breaks, until connecting is refused. */
async function* followChanges(
  connection: Connection,
  path: string,
  {
    after = 0,
    etag,
    silenceMs = SILENCE_MS,
    session,
    onPresence,
    onConnection,
    ...options
  }: ChangesOptions,
): AsyncGenerator<Change, void, undefined> {
  const limits = mergeLimits(defaultLimits, options.retry)
  const headers = { accept: 'text/event-stream' }
  const log = new FollowedLog(etag)
  let last = after
  for (let failures = 1; ; failures++) {
    const query = { since: last, session }
    const call: Call = { method: 'GET', path, query, headers }
    const open = await requireStream(connection.open(call, options), log)
    const start = Date.now()
    onConnection?.(true)
    try {
      for await (const change of streamChanges(open, { silenceMs, onPresence })) {
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
      end(open)
    }
    onConnection?.(false)
    // Streams end regularly, after minutes; only those that end at once are made again ever later.
    if (Date.now() - start > limits.maxDelayMs) failures = 0
    await sleep(delayBefore(failures + 1, undefined, limits), options.signal)
  }
}

/** Resolves to a stream of the log, and ends one of another log. */
async function requireStream(
  opening: Promise<OpenResponse>,
  log: FollowedLog,
): Promise<OpenResponse> {
  const open = await opening.catch(log.rethrow)
  try {
    log.requireSame(open.response.headers)
    return open
  } catch (error) {
    end(open)
    throw error
  }
}

function end({ cancellation }: OpenResponse): void {
  cancellation.abort()
  cancellation.dispose()
}

interface Presence {
  readonly sessions: readonly PresentSession[]
}

/** Yields the changes of one connection until it ends. */
async function* streamChanges(
  { response, cancellation }: OpenResponse,
  { silenceMs = SILENCE_MS, onPresence }: Pick<ChangesOptions, 'silenceMs' | 'onPresence'>,
): AsyncGenerator<Change, void, undefined> {
  if (!response.body) return
  const silence = createCancellation(undefined, silenceMs)
  silence.signal.addEventListener('abort', cancellation.abort, { once: true })
  try {
    for await (const { name, data } of readEvents(response.body, silence.restart)) {
      if (name === 'end') return requireSameLog(data)
      if (name === 'presence') onPresence?.((JSON.parse(data) as Presence).sessions)
      if (name === 'change') yield JSON.parse(data) as Change
    }
  } finally {
    silence.dispose()
  }
}

/** Access was revoked, or the document deleted: the next attempt to connect reports it with its status. */
function requireSameLog(data: string): void {
  const { error, details } = JSON.parse(data) as { error: string; details?: { reason?: string } }
  if (details?.reason === 'CHANGES_CUT') throw toCut(error, details)
}

function toCut(message: string, details: object = { reason: 'CHANGES_CUT' }): ConflictError {
  return new ConflictError({ status: 409, reason: 'CHANGES_CUT', message, details: { ...details } })
}
