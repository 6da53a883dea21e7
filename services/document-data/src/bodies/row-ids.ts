import { readJson } from '../json/read-json'
import { invalidPayload } from './record-columns'

/**
 * Reads a JSON list of row ids, which may be empty, repeat ids or name rows that do not exist. Throws
 * AppError `invalid`: MALFORMED_JSON; INVALID_PAYLOAD if the body is not a list or an item is not a whole
 * number, naming the item.
 */
export function readRowIds(json: Uint8Array): number[] {
  const body = readJson(json, 'body')
  if (!Array.isArray(body)) throw invalidPayload('body is not an array')
  const wrong = body.findIndex((id) => !Number.isSafeInteger(id))
  if (wrong >= 0) throw invalidPayload(`body[${wrong}] is not a row id`)
  return body as number[]
}
