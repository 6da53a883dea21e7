import type { ServerDuplexStream, StatusObject } from '@grpc/grpc-js'
import type {
  ExchangeRequest,
  ExchangeResponse,
  Failure,
  Reply,
} from '@sheaf/protos/sheaf/transport/v1/transport'
import { detailsOf } from './grpc-errors'
import { BATCH } from './transport-limits'
import { Outbox } from './transport-outbox'

/** Replies that wait for the socket beyond this, in bytes, stop the reading of calls and of streamed answers. */
const MAX_WAITING_BYTES = 1024 * 1024
/** About what a frame costs besides its payload, in bytes. */
const FRAME_BYTES = 16

/** What a server has to say on one stream, in the order in which it goes. */
export class ReplyQueue {
  private readonly outbox: Outbox<ExchangeResponse>
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
    this.outbox = new Outbox(
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
    return this.waitingBytes < MAX_WAITING_BYTES && !this.outbox.isFull
  }

  /** Sends a message of an answer, or a part of one. */
  reply(id: number, payload: Buffer, continues: boolean): void {
    this.replies.push({ id, payload, continues })
    this.waitingBytes += payload.length + FRAME_BYTES
    this.outbox.schedule()
    // A client that does not take its answers is not asked for more questions.
    if (this.waitingBytes > MAX_WAITING_BYTES) this.stream.pause()
  }

  /** Ends a streamed answer. */
  complete(id: number): void {
    this.completedIds.push(id)
    this.outbox.schedule()
  }

  /** Ends a call with an error. */
  fail(id: number, status: StatusObject): void {
    const { code, details: message } = status
    this.failures.push({ id, code, message, details: detailsOf(status) })
    this.waitingBytes += message.length + FRAME_BYTES
    this.outbox.schedule()
    if (this.waitingBytes > MAX_WAITING_BYTES) this.stream.pause()
  }

  /** Tells the client that the server is about to stop. */
  drain(): void {
    this.draining = true
    this.outbox.schedule()
  }

  /** Sends what is left and closes the server's side. */
  end(): void {
    this.outbox.flush()
    if (this.isEmpty) {
      this.outbox.close()
      this.stream.end()
    }
  }

  /** True when everything has been handed to the stream. */
  get isEmpty(): boolean {
    return this.waitingBytes === 0 && this.completedIds.length === 0 && !this.draining
  }

  /** Sends nothing from now on. */
  close(): void {
    this.outbox.close()
  }

  private take() {
    const { draining } = this
    const { replies, bytes } = this.takeReplies()
    if (this.replies.length > 0)
      return { message: { replies, completedIds: [], failures: [], draining: false }, bytes }
    // How calls end goes after all that was said on them.
    const { completedIds, failures } = this
    if (replies.length + completedIds.length + failures.length === 0 && !draining) return undefined
    this.completedIds = []
    this.failures = []
    this.draining = false
    this.waitingBytes = 0
    return { message: { replies, completedIds, failures, draining }, bytes }
  }

  private takeReplies(): { replies: Reply[]; bytes: number } {
    let bytes = 0
    let count = 0
    for (const { payload } of this.replies) {
      bytes += payload.length + FRAME_BYTES
      count++
      if (bytes >= BATCH) break
    }
    const replies = this.replies
    this.replies = count === replies.length ? [] : replies.splice(count)
    this.waitingBytes -= bytes
    return { replies, bytes }
  }
}
