import { isUtf8 } from 'node:buffer'
import { AppError } from '@sheaf/kit/errors'
import { findInJson, isInfinite, pathText } from '@sheaf/kit/json-search'
import { payloadError } from '@sheaf/kit/payload-error'

/**
 * Decodes JSON. Throws AppError `invalid` (MALFORMED_JSON) for text that is not JSON, for bytes that are not
 * UTF-8, and for lone surrogates, which no valid response could return; INVALID_PAYLOAD for a number beyond the range of a
 * double, which would become null. The message names the input (`what`, such as `body`) and the position but quotes no
 * value.
 */
export function readJson(json: Uint8Array | string, what: string): unknown {
  const text = typeof json === 'string' ? json : decodeUtf8(json, what)
  const value = parse(text, what)
  // In UTF-8 input, only an escape sequence can produce a lone surrogate.
  const suspicious = typeof json === 'string' || /\\u[dD][89a-fA-F]/.test(text)
  if (suspicious && holdsLoneSurrogate(value)) throw illFormed(what)
  // The search takes as long as the parser; only a long exponent or very many digits give such a number. Without the
  // lookbehind, each digit of a long text of digits would begin another search.
  if (/[eE]\+?\d{3}|(?<!\d)\d{200}/.test(text)) requireFinite(value, what)
  return value
}

function requireFinite(value: unknown, what: string): void {
  const path = findInJson(value, isInfinite)
  if (path) throw payloadError(`${pathText(path, what)} is a number out of range`)
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

/** Iterative, because nesting is not bounded at this point. */
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
