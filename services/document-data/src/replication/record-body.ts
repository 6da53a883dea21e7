import { crc32 } from 'node:zlib'
import type { DueChange } from '../store/log/due-changes'
import { LogDamaged } from '../store/log/entry-checksum'
import type { LogEntry } from '../store/log/log'
import type { Marks } from '../store/log/publish-state'
import type { LogRecord } from '../store/log/record-writer'
import type { Reply } from '../store/log/replies'

/** Version of this form: its first byte. */
const FORMAT = 1
/** The version and a CRC-32 of the rest, which is JSON. */
const HEADER_BYTES = 5

/** A reply with its bytes in base64. */
interface TextReply extends Omit<Reply, 'digest' | 'bytes'> {
  readonly digest: string
  readonly bytes: string
}

interface TextRecord {
  readonly lsn: number
  readonly time: number
  /** `keyId` is absent for none, and in records of older releases. */
  readonly entry?: Omit<Required<LogEntry>, 'time' | 'keyId'> & Partial<Pick<LogEntry, 'keyId'>>
  readonly reply?: TextReply
  readonly marks?: Marks
  readonly format?: number
  readonly due?: readonly DueChange[]
}

/** A record of the log as the log database holds it. */
export function encodeRecord(record: LogRecord): Buffer {
  const { lsn, time, entry, json, reply, marks, format, due } = record
  let text = `{"lsn":${lsn},"time":${time}`
  if (entry) text += `,"entry":${encodeEntry(entry, json ?? JSON.stringify(entry.operations))}`
  if (reply) text += `,"reply":${JSON.stringify(toText(reply))}`
  if (marks) text += `,"marks":${JSON.stringify(marks)}`
  if (format !== undefined) text += `,"format":${format}`
  if (due) text += `,"due":${JSON.stringify(due)}`
  text += '}'
  const size = Buffer.byteLength(text)
  const body = Buffer.allocUnsafe(HEADER_BYTES + size)
  body.write(text, HEADER_BYTES)
  body[0] = FORMAT
  body.writeUInt32BE(crc32(body.subarray(HEADER_BYTES)), 1)
  return body
}

/** The operations, which are most of a record, are JSON already. */
function encodeEntry(
  { seq, user, keyId, cause, traceparent }: LogEntry,
  operations: string,
): string {
  const head = JSON.stringify({ seq, user, ...(keyId !== 0 && { keyId }), cause, traceparent })
  return `${head.slice(0, -1)},"operations":${operations}}`
}

function toText({ digest, bytes, ...reply }: Reply): TextReply {
  const base64 = (data: Uint8Array) => Buffer.from(data).toString('base64')
  return { ...reply, digest: base64(digest), bytes: base64(bytes) }
}

/** Reads what `encodeRecord` has made. Throws LogDamaged for anything else, and for the form of a newer release. */
export function decodeRecord(body: Uint8Array): LogRecord {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const rest = bytes.subarray(HEADER_BYTES)
  if (bytes.length <= HEADER_BYTES || bytes[0] !== FORMAT || bytes.readUInt32BE(1) !== crc32(rest))
    throw new LogDamaged(undefined)
  const { lsn, time, entry, reply, marks, format, due } = JSON.parse(rest.toString()) as TextRecord
  return {
    lsn,
    time,
    ...(entry && { entry: { keyId: 0, ...entry, time } }),
    ...(reply && { reply: fromText(reply) }),
    ...(marks && { marks }),
    ...(format !== undefined && { format }),
    ...(due && { due }),
  }
}

function fromText({ digest, bytes, ...reply }: TextReply): Reply {
  return { ...reply, digest: Buffer.from(digest, 'base64'), bytes: Buffer.from(bytes, 'base64') }
}
