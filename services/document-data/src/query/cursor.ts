import { createHash, createHmac, timingSafeEqual, type Hmac } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'

/** Value of a sort term in one row, as returned by SQLite. */
export type KeyValue = string | number | null

/** End of a page: the values of all sort terms in its last row; the last value is the row id. */
export type Position = readonly KeyValue[]

/**
 * Target of a cursor: a position or, if its text is too long for a request, the last row and a digest of the
 * position, valid while the row exists unchanged.
 */
export type Place =
  { readonly position: Position } | { readonly row: number; readonly digest: string }

/**
 * Longer positions are replaced by row and digest; URLs and headers are limited to a few thousand characters.
 */
const MAX_POSITION_BYTES = 1_500
const MAC_BYTES = 16

/**
 * Creates and verifies cursors. A cursor is signed together with a scope that describes the request. The
 * scope is not part of the cursor, so forged, modified or reused cursors of other requests are rejected.
 */
export class Cursors {
  private readonly key: Buffer

  /** @param secret shared by all instances of a Sheaf */
  constructor(secret: string) {
    this.key = createHmac('sha256', secret).update('sheaf cursor').digest()
  }

  /** Returns the cursor for the rows after a position. */
  make(position: Position, scope: string): string {
    const text = positionText(position)
    const place =
      Buffer.byteLength(text) <= MAX_POSITION_BYTES
        ? text
        : JSON.stringify({ row: position.at(-1), digest: digestOf(text) })
    return Buffer.concat([this.sign(place, scope), Buffer.from(place)]).toString('base64url')
  }

  /** Returns the target of a cursor. Throws AppError `invalid` (INVALID_CURSOR) if its scope differs. */
  read(cursor: string, scope: string): Place {
    const bytes = Buffer.from(cursor, 'base64url')
    const text = bytes.subarray(MAC_BYTES).toString()
    const isOurs =
      bytes.length > MAC_BYTES &&
      timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.sign(text, scope))
    if (!isOurs) throw invalidCursor()
    const place = JSON.parse(text) as unknown[] | { row: number; digest: string }
    return Array.isArray(place) ? { position: place.map(fromWire) } : place
  }

  private sign(place: string, scope: string): Buffer {
    const hmac: Hmac = createHmac('sha256', this.key)
    return hmac.update(`${scope.length}:${scope}${place}`).digest().subarray(0, MAC_BYTES)
  }
}

/** Throws like `read` unless the position matches the digest. */
export function requireSamePosition(position: Position | undefined, digest: string): void {
  if (!position || digestOf(positionText(position)) !== digest) throw invalidCursor()
}

/** Serialises a position as JSON; the inverse is `readPosition`. */
export function positionText(position: Position): string {
  return JSON.stringify(position.map(toWire))
}

/** Parses the result of `positionText`. */
export function readPosition(text: string): Position {
  return (JSON.parse(text) as unknown[]).map(fromWire)
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

/** JSON has no infinities. Booleans can encode them because keys are never booleans. */
function toWire(value: KeyValue): unknown {
  return value === Infinity ? true : value === -Infinity ? false : value
}

function fromWire(value: unknown): KeyValue {
  return typeof value === 'boolean' ? (value ? Infinity : -Infinity) : (value as KeyValue)
}

function invalidCursor(): AppError {
  const message =
    'cursor is invalid: it belongs to another table, filter or sort order, or is outdated'
  return new AppError('invalid', 'INVALID_CURSOR', message)
}
