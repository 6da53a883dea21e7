/** Bytes that may wait for the socket; further messages are held back until some of these are written. */
const MAX_IN_FLIGHT = 1024 * 1024

/** One message of the stream. */
interface Batch<T> {
  readonly message: T
  /** About its length in bytes. */
  readonly bytes: number
}

/** The destination of messages: a grpc-js stream. */
interface Sink<T> {
  write(message: T, done: (error?: Error | null) => void): boolean
}

/**
 * Sends all frames of one turn of the event loop as one message. While too many bytes wait for the socket, frames are held
 * back and combined into the next message.
 */
export class FrameWriter<T> {
  private scheduled = false
  private closed = false
  private inFlight = 0

  /**
   * @param take returns the next message, or undefined when there is nothing to send
   * @param onRoom called when a message has been written to the socket
   */
  constructor(
    private readonly sink: Sink<T>,
    private readonly take: () => Batch<T> | undefined,
    private readonly onRoom?: () => void,
  ) {}

  /** True while the bytes that wait for the socket have reached their limit. */
  get isFull(): boolean {
    return this.inFlight >= MAX_IN_FLIGHT
  }

  /** Sends at the end of this turn of the event loop. */
  schedule(): void {
    if (this.scheduled || this.closed) return
    this.scheduled = true
    setImmediate(this.flush)
  }

  /** Sends pending frames now, as far as there is room. */
  readonly flush = (): void => {
    this.scheduled = false
    while (!this.closed && !this.isFull) {
      const batch = this.take()
      if (batch === undefined) return
      const { bytes, message } = batch
      this.inFlight += bytes
      this.sink.write(message, (error) => {
        this.inFlight -= bytes
        if (error || this.closed) return
        this.schedule()
        this.onRoom?.()
      })
    }
  }

  /** Stops sending. */
  close(): void {
    this.closed = true
  }
}
