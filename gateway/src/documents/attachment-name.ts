import { toUSVString } from 'node:util'
import { create } from 'content-disposition'

/** Characters of a name at most, so that the header stays below what proxies take. */
const MAX_NAME = 180
const MAX_EXTENSION = 20

/** Path separators, control characters, and marks that show a name in another order than it has. */
const FORBIDDEN = /[\p{Cc}/\\\u202a-\u202e\u2066-\u2069]/gu

/**
 * Content-Disposition of a file that is to be saved, or shown, under this name, in any script: in UTF-8 by RFC 8187, and in
 * ASCII for clients that know nothing else. What no name of a file may hold becomes `_`.
 */
export function attachmentNamed(
  name: string,
  extension: string,
  type: 'attachment' | 'inline' = 'attachment',
): string {
  const whole = cleaned(name, MAX_NAME) + cleaned(extension, MAX_EXTENSION)
  const inAscii = whole
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^ -~]|[/\\%]/gu, '_')
  return create(whole, { type, fallback: inAscii })
}

function cleaned(text: string, limit: number): string {
  return [...toUSVString(text).replace(FORBIDDEN, '_')].slice(0, limit).join('')
}
