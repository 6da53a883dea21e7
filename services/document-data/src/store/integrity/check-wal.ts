import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The last bit gives the byte order of checksums. */
const MAGIC = 0x377f0682

/**
 * Looks for writes in a write-ahead log that can no longer be read: SQLite ends the log at the first frame
 * whose checksum is wrong, which is right after a crash but, when frames of the same run follow it, means
 * damage.
 */
export function checkWriteAheadLog(path: string): string[] {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    return [`its write-ahead log cannot be opened: ${(error as Error).message}`]
  }
  try {
    return checkFrames(file, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}

function checkFrames(file: number, size: number): string[] {
  if (size < HEADER_BYTES) return []
  const header = readAt(file, 0, HEADER_BYTES)
  const magic = header.readUInt32BE(0)
  const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8)
  const sum = new Checksum((magic & 1) === 1)
  sum.add(header.subarray(0, 24))
  if ((magic & ~1) >>> 0 !== MAGIC || !sum.equals(header, 24))
    return size > HEADER_BYTES ? ['the header of its write-ahead log is damaged'] : []
  const salt = header.subarray(16, 24)
  let broken = 0
  for (let at = HEADER_BYTES; at + frameBytes <= size; at += frameBytes) {
    const frame = readAt(file, at, broken > 0 ? FRAME_HEADER_BYTES : frameBytes)
    const sameRun = frame.subarray(8, 16).equals(salt)
    if (broken > 0) {
      // A later commit of the same run was acknowledged to a caller.
      if (sameRun && frame.readUInt32BE(4) > 0)
        return [`its write-ahead log is damaged at frame ${broken}: later writes are lost`]
      continue
    }
    sum.add(frame.subarray(0, 8))
    sum.add(frame.subarray(FRAME_HEADER_BYTES))
    if (!sameRun || !sum.equals(frame, 16)) broken = 1 + (at - HEADER_BYTES) / frameBytes
  }
  return []
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readSync(file, bytes, 0, length, position)
  return bytes
}

/** The running checksum of SQLite's write-ahead log. */
class Checksum {
  private first = 0
  private second = 0

  constructor(private readonly bigEndian: boolean) {}

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 8) {
      this.first = (this.first + this.word(bytes, at) + this.second) >>> 0
      this.second = (this.second + this.word(bytes, at + 4) + this.first) >>> 0
    }
  }

  /** Compares with a stored checksum, which is big-endian in any case. */
  equals(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.first && bytes.readUInt32BE(at + 4) === this.second
  }

  private word(bytes: Buffer, at: number): number {
    return this.bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
  }
}
