import { AppError } from '@sheaf/kit/errors'
import { isTooDeep } from '@sheaf/kit/json-depth'

/**
 * Decodes a JSON object that clients store; `field` names it in errors. Throws `invalid` for any other value, beyond
 * `maxBytes`, and when it is nested too deeply.
 */
export function readJsonObject(
  json: Uint8Array,
  { field, maxBytes }: { readonly field: string; readonly maxBytes: number },
): object {
  if (json.length > maxBytes) throw badField(`${field} must not exceed ${maxBytes} bytes`)
  const value = parse(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badField(`${field} must be a JSON object`)
  if (isTooDeep(value)) throw badField(`${field} is nested too deeply`)
  return value
}

const badField = (message: string) => new AppError('invalid', 'BAD_FIELD', message)

function parse(json: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(json).toString()) as unknown
  } catch {
    return undefined
  }
}
