import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError } from '../cli-error'
import type { BackupFile } from './manifest'

/**
 * Writes a file of a backup, replacing an incomplete one, readable by its user only; durable when this
 * resolves.
 */
export async function writeBackupFile(
  folder: string,
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<BackupFile> {
  const hash = createHash('sha256')
  let size = 0
  const file = await open(join(folder, path), 'w', 0o600)
  try {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
      await file.writeFile(chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { path, size, sha256: hash.digest('hex') }
}

/** Throws CliError unless the file matches its checksum. */
export async function checkBackupFile(
  folder: string,
  { path, size, sha256 }: BackupFile,
): Promise<void> {
  const hash = createHash('sha256')
  let found = 0
  try {
    for await (const chunk of createReadStream(join(folder, path)) as AsyncIterable<Buffer>) {
      hash.update(chunk)
      found += chunk.length
    }
  } catch (error) {
    throw new CliError(`failed to read ${path} of the backup: ${(error as Error).message}`)
  }
  if (found !== size || hash.digest('hex') !== sha256)
    throw new CliError(`${path} of the backup is damaged: checksum mismatch`)
}

const LINE_END = 0x0a

/**
 * Yields the lines of a table file, without line ends. Only a line feed ends a line: the text of a JSON line
 * may contain other line separators, such as U+2028.
 */
export async function* readBackupLines(folder: string, path: string): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  for await (const chunk of createReadStream(join(folder, path)) as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)])
      begun = []
      from = end + 1
    }
    if (from < chunk.length) begun.push(chunk.subarray(from))
  }
  if (begun.length > 0) yield Buffer.concat(begun)
}

/** Makes the directory entries of a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
