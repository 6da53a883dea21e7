import type { ServerDuplexStream, StatusObject } from '@grpc/grpc-js'
import type {
  ExchangeRequest,
  ExchangeResponse,
  Failure,
  Reply,
} from '@sheaf/protos/sheaf/transport/v1/transport'
import { detailsOf } from '../rpc/wire-errors'
import { BATCH } from './limits'
import { FrameWriter } from './frame-writer'

/** Replies of streamed answers that wait beyond this, in bytes, pause these answers … */
const MAX_STREAMED_BYTES = 1024 * 1024
/** … and waiting replies of all kinds beyond this the reading of calls: streamed answers alone do not keep out calls. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024
/** The long lane's part of a message that has more short replies than fit. */
const LONG_BYTES = BATCH / 4
/** About what a frame costs besides its payload, in bytes. */
const FRAME_BYTES = 16

/** Whether the messages of an answer have all been short so far (see SHORT), or one was long. */
export type Lane = 'short' | 'long'

/** A message of an answer, or a part of one, as it waits. */
export interface QueuedReply extends Reply {
  /** True when its answer waits for room (`hasRoom`), false for an answer that is sent whatever waits. */
  readonly isPaced: boolean
}

/**
 * The frames that a server sends on one stream. Those of one call keep their order; short answers do not wait for the long
 * ones of other calls.
 */
export class ReplyQueue {
  private readonly writer: FrameWriter<ExchangeResponse>
  private readonly replies: Record<Lane, QueuedReply[]> = { short: [], long: [] }
  private completedIds: number[] = []
  private failures: Failure[] = []
  private draining = false
  private waitingBytes = 0
  private pacedBytes = 0

  /** @param onRoom called when more may be sent than before */
  constructor(
    private readonly stream: ServerDuplexStream<ExchangeRequest, ExchangeResponse>,
    onRoom: () => void,
  ) {
    this.writer = new FrameWriter(
      stream,
      () => this.take(),
      () => {
        if (stream.isPaused() && this.waitingBytes <= MAX_WAITING_BYTES) stream.resume()
        if (this.hasRoom) onRoom()
      },
    )
  }

  /** False while a streamed answer should wait. Answers that do not wait leave it room. */
  get hasRoom(): boolean {
    return this.pacedBytes < MAX_STREAMED_BYTES && !this.writer.isFull
  }

  /** Sends a message of an answer, or a part of one. An answer that was in the long lane must stay there. */
  reply(lane: Lane, reply: QueuedReply): void {
    this.replies[lane].push(reply)
    if (reply.isPaced) this.pacedBytes += replyBytes(reply)
    this.gather(replyBytes(reply))
  }

  /** Ends a streamed answer. */
  complete(id: number): void {
    this.completedIds.push(id)
    this.writer.schedule()
  }

  /** Ends a call with an error. */
  fail(id: number, status: StatusObject): void {
    const { code, details: message } = status
    const failure = { id, code, message, details: detailsOf(status) }
    this.failures.push(failure)
    this.gather(failureBytes(failure))
  }

  /** Announces that the server is about to stop. */
  drain(): void {
    this.draining = true
    this.writer.schedule()
  }

  /** Sends the remaining frames and closes the server's side. */
  end(): void {
    this.writer.flush()
    if (this.isEmpty) {
      this.writer.close()
      this.stream.end()
    }
  }

  /** True when everything has been handed to the stream. */
  get isEmpty(): boolean {
    return this.waitingBytes === 0 && this.completedIds.length === 0 && !this.draining
  }

  /** Sends nothing from now on. */
  close(): void {
    this.writer.close()
  }

  private gather(bytes: number): void {
    this.waitingBytes += bytes
    this.writer.schedule()
    // A client that does not read its answers may not send further calls.
    if (this.waitingBytes > MAX_WAITING_BYTES) this.stream.pause()
  }

  private take() {
    const { replies, bytes: replied } = this.takeReplies()
    // The outcome of a call follows all of its replies, and waits for those of no other call.
    const pending = this.findPending()
    const completed = splitOff(this.completedIds, (id) => !pending?.has(id))
    this.completedIds = completed.rest
    const ended = splitOff(this.failures, ({ id }) => !pending?.has(id))
    const failed = takeUpTo(ended.items, BATCH, failureBytes)
    this.failures = failed.rest.length > 0 ? [...failed.rest, ...ended.rest] : ended.rest
    const draining = this.draining && !pending
    if (draining) this.draining = false
    const bytes = replied + failed.bytes
    this.waitingBytes -= bytes
    const frames = { replies, completedIds: completed.items, failures: failed.items, draining }
    const isEmpty = replies.length + completed.items.length + failed.items.length === 0 && !draining
    return isEmpty ? undefined : { message: frames, bytes }
  }

  /**
   * Short replies go first, and leave a part of each message to the long ones. A long reply waits for the short ones of its
   * own call, which keeps their order.
   */
  private takeReplies(): { replies: Reply[]; bytes: number } {
    const { short, long } = this.replies
    const first = takeUpTo(short, long.length > 0 ? BATCH - LONG_BYTES : BATCH, replyBytes)
    this.replies.short = first.rest
    let { items: replies, bytes } = first
    if (long.length > 0) {
      const behind = new Set(first.rest.map(idOf))
      const blocked = behind.size > 0 ? long.findIndex(({ id }) => behind.has(id)) : -1
      const free = blocked < 0 ? long : long.slice(0, blocked)
      const second = takeUpTo(free, Math.max(LONG_BYTES, BATCH - bytes), replyBytes)
      this.replies.long = long.slice(second.items.length)
      replies = [...replies, ...second.items]
      bytes += second.bytes
    }
    for (const reply of replies) if (reply.isPaced) this.pacedBytes -= replyBytes(reply)
    return { replies, bytes }
  }

  /** The calls whose replies wait; undefined when there are none. */
  private findPending(): ReadonlySet<number> | undefined {
    const { short, long } = this.replies
    if (short.length + long.length === 0) return undefined
    return new Set([...short.map(idOf), ...long.map(idOf)])
  }
}

const replyBytes = ({ payload }: Reply) => payload.length + FRAME_BYTES
const failureBytes = ({ message, details }: Failure) =>
  message.length + details.length + FRAME_BYTES

const idOf = ({ id }: Reply) => id

/** Splits off the items that may go; all of them, unchanged, in the usual case. */
function splitOff<T>(all: T[], mayGo: (item: T) => boolean) {
  if (all.every(mayGo)) return { items: all, rest: [] as T[] }
  return { items: all.filter(mayGo), rest: all.filter((item) => !mayGo(item)) }
}

/** Splits off the first items that together reach `limit` bytes. */
function takeUpTo<T>(all: T[], limit: number, bytesOf: (item: T) => number) {
  let bytes = 0
  let count = 0
  for (const item of all) {
    if (bytes >= limit) break
    bytes += bytesOf(item)
    count++
  }
  if (count === all.length) return { items: all, rest: [], bytes }
  return { items: all.slice(0, count), rest: all.slice(count), bytes }
}
