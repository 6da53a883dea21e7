import { BinaryWriter } from '@bufbuild/protobuf/wire'

/** Memory that a longer message was made in is not kept for the next one. */
const MAX_KEPT = 1024 * 1024

/** What encodes messages of one kind, as ts-proto makes it. */
export interface Encoder<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter
}

let spare: BinaryWriter | undefined

/** The same bytes as a Buffer, not copied. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/**
 * The encoded message, made in the same memory as the one before: what a new writer grows through is twice as long as the
 * message, lies outside of the heap, and would make the garbage collector run that much more often.
 */
export function encodeBytes<T>(messages: Encoder<T>, message: T): Buffer {
  const writer = spare ?? new BinaryWriter()
  // One that has thrown midway is not used again.
  spare = undefined
  const bytes = messages.encode(message, writer).finish()
  if (bytes.length <= MAX_KEPT) spare = writer
  return asBuffer(bytes)
}

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
export function encodeChunks<T extends WithChunk>(messages: Encoder<T>): (message: T) => Buffer {
  return (message) => {
    const { chunk } = message
    if (chunk.length === 0) return encodeBytes(messages, message)
    const rest = encodeBytes(messages, { ...message, chunk: NOTHING })
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
