/** What stands between a message of the stream and the next one, in bytes: more waits until these are on the socket. */
const MAX_IN_FLIGHT = 1024 * 1024

/** One message of the stream. */
interface Batch<T> {
  readonly message: T
  /** About its length in bytes. */
  readonly bytes: number
}

/** Where messages go: a grpc-js stream. */
interface Sink<T> {
  write(message: T, done: (error?: Error | null) => void): boolean
}

/**
 * Sends what has gathered in one turn of the event loop as one message, and nothing more while too much waits for the
 * socket: what gathers meanwhile goes together.
 */
export class FrameWriter<T> {
  private scheduled = false
  private closed = false
  private inFlight = 0

  /**
   * @param take gives the next message, or undefined when there is nothing to send
   * @param onRoom called when a message has gone to the socket
   */
  constructor(
    private readonly sink: Sink<T>,
    private readonly take: () => Batch<T> | undefined,
    private readonly onRoom?: () => void,
  ) {}

  /** True while as much waits for the socket as may. */
  get isFull(): boolean {
    return this.inFlight >= MAX_IN_FLIGHT
  }

  /** Sends at the end of this turn. */
  schedule(): void {
    if (this.scheduled || this.closed) return
    this.scheduled = true
    setImmediate(this.flush)
  }

  /** Sends what there is now, as far as there is room. */
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

  /** Sends nothing from now on. */
  close(): void {
    this.closed = true
  }
}
