import { extname } from 'node:path/posix'
import { AppError } from '@sheaf/kit/errors'
import { extension, lookup } from 'mime-types'

const MAX_NAME = 255
/** Maximum length of an extension; known extensions are shorter. */
const MAX_EXTENSION = 32
const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * Returns the stored form of a file name, without folders of any operating system. Throws AppError `invalid`
 * for a name that is too long or contains control characters.
 */
export function readFileName(given: string): string {
  const name = given.slice(1 + Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')))
  if (name.length > MAX_NAME)
    throw badName(`a file name must not have more than ${MAX_NAME} characters`)
  // Control characters and lone surrogates.
  if (/[\p{Cc}\p{Cs}]/u.test(name)) throw badName('a file name must not contain control characters')
  return name
}

const badName = (message: string) => new AppError('invalid', 'INVALID_NAME', message)

/**
 * Returns the extension of a file with its dot: from its name, or else from the media type; empty if neither
 * has one.
 */
export function extensionOf(name: string, mediaType: string): string {
  const own = extname(name)
  if (own.length > 1 && own.length <= MAX_EXTENSION) return own
  const usual = own === '' ? extension(mediaType) : false
  return usual === false ? '' : `.${usual}`
}

/** Returns the media type of an extension. */
export function mediaTypeOf(fileExt: string): string {
  return lookup(fileExt) || UNKNOWN_TYPE
}

/** Returns the name of a file in an archive: unique for its contents, and without path traversal. */
export function archiveName(sha1: string, name: string): string {
  return `${sha1}_${name}`.replaceAll(/[/\\\p{Cc}\p{Cs}]/gu, '_')
}
