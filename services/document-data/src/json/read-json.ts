import { isUtf8 } from 'node:buffer'
import { AppError } from '@sheaf/kit/errors'

/** Nesting that a cell or filter may have; more could only be meant to exhaust a stack. */
const MAX_DEPTH = 64

/**
 * Decodes JSON. Throws AppError `invalid` (MALFORMED_JSON) naming what it read (`what`, such as `body`) for text that is
 * not JSON, with its position but none of its values; for bytes that are not UTF-8; and for text that holds a lone
 * surrogate, which no valid reply could give back.
 */
export function readJson(json: Uint8Array | string, what: string): unknown {
  const text = typeof json === 'string' ? json : decodeUtf8(json, what)
  const value = parse(text, what)
  // Only an escape can bring a lone surrogate into text that came as UTF-8.
  const suspicious = typeof json === 'string' || /\\u[dD][89a-fA-F]/.test(text)
  if (suspicious && holdsLoneSurrogate(value)) throw illFormed(what)
  return value
}

function decodeUtf8(bytes: Uint8Array, what: string): string {
  if (!isUtf8(bytes)) throw illFormed(what)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const position = /at position (\d+)/.exec(error.message)?.[1]
    const where = position === undefined ? '' : ` at position ${position}`
    throw new AppError('invalid', 'MALFORMED_JSON', `The ${what} is not valid JSON${where}`)
  }
}

function illFormed(what: string): AppError {
  return new AppError(
    'invalid',
    'MALFORMED_JSON',
    `The ${what} contains text that is not well-formed Unicode`,
  )
}

/** Looks without recursion, because nesting is not yet bounded here. */
function holdsLoneSurrogate(root: unknown): boolean {
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string') {
      if (/\p{Surrogate}/u.test(value)) return true
    } else if (Array.isArray(value)) {
      for (const item of value) waiting.push(item)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) waiting.push(key, item)
    }
  }
  return false
}

/** Whether arrays and objects are nested deeper than allowed. */
export function isTooDeep(root: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof root !== 'object' || root === null) return false
  if (depth === 0) return true
  for (const item of Array.isArray(root) ? root : Object.values(root)) {
    if (typeof item === 'object' && item !== null && isTooDeep(item, depth - 1)) return true
  }
  return false
}
