import { extname } from 'node:path/posix'
import { AppError } from '@sheaf/kit/errors'
import { extension, lookup } from 'mime-types'

const MAX_NAME = 255
/** Longer ones are no extensions that anybody knows. */
const MAX_EXTENSION = 32
const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * The name of a file as it is kept: without folders, of this system or another. Throws AppError `invalid` for one that is
 * too long or holds control characters.
 */
export function readFileName(given: string): string {
  const name = given.slice(1 + Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')))
  if (name.length > MAX_NAME)
    throw badName(`a file name must not have more than ${MAX_NAME} characters`)
  // The class of control characters, and halves of characters.
  if (/[\p{Cc}\p{Cs}]/u.test(name)) throw badName('a file name must not contain control characters')
  return name
}

const badName = (message: string) => new AppError('invalid', 'INVALID_NAME', message)

/** The extension of a file with its dot: that of its name, else that of the media type; empty when neither tells. */
export function extensionOf(name: string, mediaType: string): string {
  const own = extname(name)
  if (own.length > 1 && own.length <= MAX_EXTENSION) return own
  const usual = own === '' ? extension(mediaType) : false
  return usual === false ? '' : `.${usual}`
}

/** The media type that an extension stands for. */
export function mediaTypeOf(fileExt: string): string {
  return lookup(fileExt) || UNKNOWN_TYPE
}

/** Name of a file in an archive: unique for its contents, and nothing that leads out of the folder. */
export function archiveName(sha1: string, name: string): string {
  return `${sha1}_${name}`.replaceAll(/[/\\\p{Cc}\p{Cs}]/gu, '_')
}
