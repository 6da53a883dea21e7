import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'

/*
 * The base of a document that was not created empty: its file as it was created by an import, a copy or a restore,
 * compressed. Redo of the later entries of the log makes the document from it.
 */

/** Writes the base of a document from its file, which no connection uses. It is on disk when this resolves. */
export function writeBase(file: string, base: string): Promise<void> {
  return pipeline(
    createReadStream(file),
    createGzip({ level: constants.Z_BEST_SPEED }),
    createWriteStream(base, { flags: 'wx', mode: 0o600, flush: true }),
  )
}

/** Writes the document file that a base holds to a new path. Throws an error of zlib for a damaged base. */
export function unpackBase(base: string, file: string): Promise<void> {
  return pipeline(
    createReadStream(base),
    createGunzip(),
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
  )
}
