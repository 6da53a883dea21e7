import { encodeBytes } from '@sheaf/protos/bytes'
import { ExchangeResponse, type Reply } from '@sheaf/protos/sheaf/transport/v1/transport'

// Replies carry all that is read, and the generated code copies each payload four times: here it is copied once, into
// the message. What is written and read is the same.

/** Tags of the fields, as protobuf writes them. */
const REPLIES = 0x0a
const ID = 0x08
const PAYLOAD = 0x12
const CONTINUES = 0x18

/** Messages up to this length are made in the same memory, one after the other. */
const SCRATCH_BYTES = 1024 * 1024
let scratch: Buffer | undefined

/**
 * Encodes frames of the server as grpc-js asks it to: the bytes are good until the next call. They are copied at once,
 * behind the head of a gRPC message, and memory that is given back only by the garbage collector would make it run often.
 */
export function serializeResponse(frames: ExchangeResponse): Buffer {
  return encodeResponse(frames, (size) => {
    if (size > SCRATCH_BYTES) return Buffer.allocUnsafe(size)
    scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES)
    return scratch.subarray(0, size)
  })
}

/** Encodes frames of the server. */
export function encodeResponse(
  frames: ExchangeResponse,
  allocate: (size: number) => Buffer = (size) => Buffer.allocUnsafe(size),
): Buffer {
  const { replies } = frames
  const hasMore = frames.completedIds.length > 0 || frames.failures.length > 0 || frames.draining
  const rest = hasMore
    ? encodeBytes(ExchangeResponse, { ...frames, replies: [] })
    : new Uint8Array()
  let size = rest.length
  for (const reply of replies) {
    const length = lengthOf(reply)
    size += 1 + varintLength(length) + length
  }
  const bytes = allocate(size)
  let at = 0
  for (const reply of replies) at = writeReply(reply, bytes, at)
  bytes.set(rest, at)
  return bytes
}

/** Decodes frames of the server; payloads are views of the bytes. Throws for what is no such message. */
export function decodeResponse(bytes: Buffer): ExchangeResponse {
  const replies: Reply[] = []
  const cursor = { bytes, at: 0 }
  while (cursor.at < bytes.length && bytes[cursor.at] === REPLIES) {
    const reply = readReply(cursor)
    // Written in another order than ours, or broken: the generated code knows.
    if (!reply) return ExchangeResponse.decode(bytes)
    replies.push(reply)
  }
  if (cursor.at === bytes.length)
    return { replies, completedIds: [], failures: [], draining: false }
  // Everything else is small.
  const rest = ExchangeResponse.decode(bytes.subarray(cursor.at))
  return { ...rest, replies: [...replies, ...rest.replies] }
}

interface Cursor {
  readonly bytes: Buffer
  at: number
}

/** The reply that begins at the cursor, moved behind it; undefined unless it is written as `writeReply` does. */
function readReply(cursor: Cursor): Reply | undefined {
  const { bytes } = cursor
  const length = readVarint(cursor, REPLIES)
  const end = cursor.at + length
  const id = readVarint(cursor, ID)
  const size = readVarint(cursor, PAYLOAD)
  const start = cursor.at
  const last = start + size
  if (length < 0 || id < 0 || size < 0 || end > bytes.length) return undefined
  const continues = end === last + 2 && bytes[last] === CONTINUES && bytes[last + 1] === 1
  if (!continues && end !== last) return undefined
  cursor.at = end
  return { id, payload: bytes.subarray(start, last), continues }
}

/** The number after a tag; below 0 when there is none of at most 32 bits. */
function readVarint(cursor: Cursor, tag: number): number {
  const { bytes } = cursor
  if (bytes[cursor.at] !== tag) return -1
  let value = 0
  for (let place = 1, at = cursor.at + 1; place <= 2 ** 28; place *= 128) {
    const byte = bytes[at++]
    if (byte === undefined) return -1
    value += (byte & 0x7f) * place
    if (byte < 0x80) {
      cursor.at = at
      return value < 2 ** 32 ? value : -1
    }
  }
  return -1
}

function lengthOf({ id, payload, continues }: Reply): number {
  return 2 + varintLength(id) + varintLength(payload.length) + payload.length + (continues ? 2 : 0)
}

function varintLength(value: number): number {
  if (value < 0x80) return 1
  if (value < 0x4000) return 2
  if (value < 0x20_0000) return 3
  return value < 0x1000_0000 ? 4 : 5
}

function writeVarint(value: number, bytes: Buffer, start: number): number {
  let at = start
  let rest = value
  while (rest >= 0x80) {
    bytes[at++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  bytes[at++] = rest
  return at
}

function writeReply(reply: Reply, bytes: Buffer, start: number): number {
  const { id, payload, continues } = reply
  bytes[start] = REPLIES
  let at = writeVarint(lengthOf(reply), bytes, start + 1)
  bytes[at] = ID
  at = writeVarint(id, bytes, at + 1)
  bytes[at] = PAYLOAD
  at = writeVarint(payload.length, bytes, at + 1)
  bytes.set(payload, at)
  at += payload.length
  if (!continues) return at
  bytes[at] = CONTINUES
  bytes[at + 1] = 1
  return at + 2
}
