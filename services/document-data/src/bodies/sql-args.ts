import type { SqlArg } from '../sql/statement'
import { readJson } from '../json/read-json'
import { invalidPayload } from './record-columns'

/**
 * Reads a JSON list of parameter values: numbers, text, booleans (bound as 1 and 0) and null. Empty input
 * means no parameters. Throws AppError `invalid`: MALFORMED_JSON; INVALID_PAYLOAD naming the first value of
 * another type.
 */
export function readSqlArgs(json: Uint8Array): SqlArg[] {
  if (json.length === 0) return []
  const args = readJson(json, 'args')
  if (!Array.isArray(args)) throw invalidPayload('body.args is not an array')
  return args.map(toArg)
}

function toArg(value: unknown, index: number): SqlArg {
  // bigint, because better-sqlite3 binds a JavaScript number as REAL.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value === 'string' || value === null) return value
  throw invalidPayload(`body.args[${index}] must be a number, string, boolean or null`)
}
