import type { Writable } from 'node:stream'

/** Bytes of the length before each frame: an unsigned integer, big endian. */
const HEADER_BYTES = 4
/** Up to this size, one write of a copy is faster than two writes. */
const COPIED_BYTES = 16 * 1024

/** Largest message of a Node program in either direction; actual messages are far smaller. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** Thrown for a frame above the limit of its channel. */
export class FrameTooLarge extends Error {
  constructor(bytes: number, maxBytes: number) {
    super(`a frame of ${bytes} bytes exceeds the limit of ${maxBytes} bytes`)
  }
}

/** Splits a byte stream into frames. A frame is a four-byte big-endian length followed by that many bytes. */
export class FrameReader {
  private readonly header = Buffer.alloc(HEADER_BYTES)
  private headerFilled = 0
  private frame: Buffer | undefined
  private frameFilled = 0

  constructor(private readonly maxFrameBytes: number) {}

  /**
   * Returns the frames that `chunk` completes, each as a copy. Throws FrameTooLarge when a header announces more than the
   * limit, before memory is allocated for it; the reader is unusable afterwards.
   */
  read(chunk: Uint8Array): Buffer[] {
    const frames: Buffer[] = []
    for (let at = 0; at < chunk.length || this.frame?.length === 0;) {
      if (this.frame) {
        const part = chunk.subarray(at, at + this.frame.length - this.frameFilled)
        this.frame.set(part, this.frameFilled)
        this.frameFilled += part.length
        at += part.length
        if (this.frameFilled < this.frame.length) continue
        frames.push(this.frame)
        this.frame = undefined
        this.headerFilled = 0
      } else {
        const part = chunk.subarray(at, at + HEADER_BYTES - this.headerFilled)
        this.header.set(part, this.headerFilled)
        this.headerFilled += part.length
        at += part.length
        if (this.headerFilled === HEADER_BYTES) this.beginFrame(this.header.readUInt32BE())
      }
    }
    return frames
  }

  private beginFrame(bytes: number): void {
    if (bytes > this.maxFrameBytes) throw new FrameTooLarge(bytes, this.maxFrameBytes)
    // Every byte is overwritten before the frame is returned.
    this.frame = Buffer.allocUnsafe(bytes)
    this.frameFilled = 0
  }
}

/**
 * Writes one frame. Resolves when the operating system has accepted it, so that a caller that awaits it
 * cannot outpace the reader. Rejects with FrameTooLarge above the limit, and with the stream's error.
 */
export function writeFrame(
  stream: Writable,
  payload: Uint8Array,
  maxFrameBytes: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (payload.length > maxFrameBytes) throw new FrameTooLarge(payload.length, maxFrameBytes)
    const settle = (error?: Error | null) => (error ? reject(error) : resolve())
    const isSmall = payload.length <= COPIED_BYTES
    const head = Buffer.allocUnsafe(HEADER_BYTES + (isSmall ? payload.length : 0))
    head.writeUInt32BE(payload.length)
    if (isSmall) {
      head.set(payload, HEADER_BYTES)
      stream.write(head, settle)
      return
    }
    stream.cork()
    stream.write(head)
    stream.write(payload, settle)
    stream.uncork()
  })
}
