import type { SqlArg } from '../sql/statement'
import { readJson } from '../json/read-json'
import { invalidPayload } from './record-columns'

/**
 * Reads a JSON list of values for parameters: numbers, text, booleans (as 1 and 0) and null; empty bytes for none. Throws
 * AppError `invalid`: MALFORMED_JSON, INVALID_PAYLOAD naming what is something else.
 */
export function readSqlArgs(json: Uint8Array): SqlArg[] {
  if (json.length === 0) return []
  const args = readJson(json, 'args')
  if (!Array.isArray(args)) throw invalidPayload('body.args is not an array')
  return args.map(toArg)
}

function toArg(value: unknown, index: number): SqlArg {
  // As an integer: the driver gives SQLite a number as a real one.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value === 'string' || value === null) return value
  throw invalidPayload(`body.args[${index}] must be a number, string, boolean or null`)
}
