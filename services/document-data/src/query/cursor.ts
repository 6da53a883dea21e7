import { createHash, createHmac, timingSafeEqual, type Hmac } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'

/** Value of one term of an order in one row, as SQLite gives it. */
export type KeyValue = string | number | null

/** Where a page ends: the values of all terms of the order in its last row; the last one is the row's id. */
export type Position = readonly KeyValue[]

/**
 * What a cursor names: a position, or, when its text is too long to travel, the last row and a digest of the position,
 * good for as long as the row is there and unchanged.
 */
export type Place =
  { readonly position: Position } | { readonly row: number; readonly digest: string }

/** Longer positions are named by row and digest. A URL and a header have room for a few thousand characters. */
const MAX_POSITION_BYTES = 1_500
const MAC_BYTES = 16

/**
 * Makes and reads cursors. A cursor is the text of a place, signed together with a scope that says what was asked: that
 * is not in the cursor, so one that comes with another question, was changed, or was made up is refused.
 */
export class Cursors {
  private readonly key: Buffer

  /** @param secret known to all instances of a Sheaf and to nobody else */
  constructor(secret: string) {
    this.key = createHmac('sha256', secret).update('sheaf cursor').digest()
  }

  /** The cursor of what follows a position. */
  make(position: Position, scope: string): string {
    const text = positionText(position)
    const place =
      Buffer.byteLength(text) <= MAX_POSITION_BYTES
        ? text
        : JSON.stringify({ row: position.at(-1), digest: digestOf(text) })
    return Buffer.concat([this.sign(place, scope), Buffer.from(place)]).toString('base64url')
  }

  /** The place that a cursor names. Throws AppError `invalid` (INVALID_CURSOR) for one that is not of this scope. */
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

/** Throws as `read` unless the position is the one that a place names by its digest. */
export function requireSamePosition(position: Position | undefined, digest: string): void {
  if (!position || digestOf(positionText(position)) !== digest) throw invalidCursor()
}

/** A position as JSON; `readPosition` reads it. */
export function positionText(position: Position): string {
  return JSON.stringify(position.map(toWire))
}

/** The position that `positionText` has written. */
export function readPosition(text: string): Position {
  return (JSON.parse(text) as unknown[]).map(fromWire)
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

/** JSON has no infinities, and keys are never booleans. */
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
