/** The same bytes as a Buffer, not copied. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** A message that brings a large piece of something in its field 1, which is of bytes. */
interface WithChunk {
  readonly chunk: Buffer
}

const NOTHING = Buffer.alloc(0)
/** Tag of field 1, as protobuf writes one of bytes. */
const CHUNK = 0x0a

/**
 * An encoder for messages whose field 1 is `bytes chunk`, which copies the chunk once; the generated one copies it three
 * times. What is written is read the same.
 */
export function encodeChunks<T extends WithChunk>(messages: {
  encode(message: T): { finish(): Uint8Array }
}): (message: T) => Buffer {
  return (message) => {
    const { chunk } = message
    if (chunk.length === 0) return asBuffer(messages.encode(message).finish())
    const rest = messages.encode({ ...message, chunk: NOTHING }).finish()
    const bytes = Buffer.allocUnsafe(6 + chunk.length + rest.length)
    bytes[0] = CHUNK
    let at = 1
    let length = chunk.length
    for (; length >= 0x80; length >>>= 7) bytes[at++] = (length & 0x7f) | 0x80
    bytes[at++] = length
    bytes.set(chunk, at)
    bytes.set(rest, at + chunk.length)
    return bytes.subarray(0, at + chunk.length + rest.length)
  }
}
