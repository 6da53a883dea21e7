import { toUSVString } from 'node:util'
import { create } from 'content-disposition'

/** Maximum length of a name in characters, so that the header stays below the limits of proxies. */
const MAX_NAME = 180
const MAX_EXTENSION = 20

/** Path separators, control characters, and bidirectional marks that can disguise a name. */
const FORBIDDEN = /[\p{Cc}/\\\u202a-\u202e\u2066-\u2069]/gu

/**
 * Returns the Content-Disposition of a file that is to be saved, or displayed, under this name in any script:
 * in UTF-8 by RFC 8187, and in ASCII for clients that support nothing else. Characters that are not permitted
 * in a file name become `_`.
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
