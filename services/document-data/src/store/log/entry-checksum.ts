import { crc32 } from 'node:zlib'

/** The columns of a log entry that its checksum covers, as they are stored. */
export interface EntryCells {
  readonly seq: number
  /** Position of its record; null in entries of older releases. */
  readonly lsn: number | null
  readonly time: number
  readonly user: number
  /** 0 for none, and in entries of older releases. */
  readonly keyId: number
  readonly cause: number
  readonly traceparent: string
  /** JSON list of the refs of tables. */
  readonly tables: string
  /** JSON list of operations. */
  readonly operations: string
}

/** The CRC-32 of a log entry, as a signed integer, which SQLite stores in four bytes. */
export function entryChecksum(cells: EntryCells): number {
  const { seq, lsn, time, user, keyId, cause, traceparent, tables, operations } = cells
  const position = lsn === null ? `${seq}` : `${seq} ${lsn}`
  // Without a key it is the checksum of the releases that did not store keys.
  const key = keyId === 0 ? '' : `${keyId} `
  const head = crc32(`${position} ${time} ${user} ${cause} ${traceparent} ${tables} ${key}`)
  return crc32(operations, head) | 0
}

/** True unless the entry differs from what was written. Entries of older releases have no checksum. */
export function matchesChecksum(cells: EntryCells & { readonly checksum: number | null }): boolean {
  return cells.checksum === null || cells.checksum === entryChecksum(cells)
}

/** Thrown for an entry of the log that is not what was written. The connection remains usable. */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged'
  readonly code = 'LOG_DAMAGED'

  constructor(seq: number | undefined, options?: ErrorOptions) {
    super(`${seq === undefined ? 'an entry' : `entry ${seq}`} of the log is damaged`, options)
  }
}
