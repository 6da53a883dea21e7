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

/** Waiting replies beyond this, in bytes, pause the reading of calls and of streamed answers. */
const MAX_WAITING_BYTES = 1024 * 1024
/** About what a frame costs besides its payload, in bytes. */
const FRAME_BYTES = 16

/** The frames that a server sends on one stream, in order. */
export class ReplyQueue {
  private readonly writer: FrameWriter<ExchangeResponse>
  private replies: Reply[] = []
  private completedIds: number[] = []
  private failures: Failure[] = []
  private draining = false
  private waitingBytes = 0

  /** @param onRoom called when more may be sent than before */
  constructor(
    private readonly stream: ServerDuplexStream<ExchangeRequest, ExchangeResponse>,
    onRoom: () => void,
  ) {
    this.writer = new FrameWriter(
      stream,
      () => this.take(),
      () => {
        if (!this.hasRoom) return
        if (stream.isPaused()) stream.resume()
        onRoom()
      },
    )
  }

  /** False while a streamed answer should wait. */
  get hasRoom(): boolean {
    return this.waitingBytes < MAX_WAITING_BYTES && !this.writer.isFull
  }

  /** Sends a message of an answer, or a part of one. */
  reply(id: number, payload: Buffer, continues: boolean): void {
    const reply = { id, payload, continues }
    this.replies.push(reply)
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
    const taken = takeUpTo(this.replies, BATCH, replyBytes)
    const { items: replies } = taken
    let { bytes } = taken
    this.replies = taken.rest
    const frames: ExchangeResponse = { replies, completedIds: [], failures: [], draining: false }
    // The outcome of a call follows all of its replies.
    if (this.replies.length === 0) {
      const failed = takeUpTo(this.failures, BATCH - bytes, failureBytes)
      bytes += failed.bytes
      frames.failures = failed.items
      this.failures = failed.rest
      frames.completedIds = this.completedIds
      this.completedIds = []
      frames.draining = this.draining
      this.draining = false
    }
    this.waitingBytes -= bytes
    const { completedIds, failures, draining } = frames
    const isEmpty = replies.length + completedIds.length + failures.length === 0 && !draining
    return isEmpty ? undefined : { message: frames, bytes }
  }
}

const replyBytes = ({ payload }: Reply) => payload.length + FRAME_BYTES
const failureBytes = ({ message, details }: Failure) =>
  message.length + details.length + FRAME_BYTES

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
