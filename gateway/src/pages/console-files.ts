import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { lookup } from 'mime-types'

/** Where the console is built, seen from the sources of the gateway as from what is built of them. */
const BUILT = join(__dirname, '../../console/dist')
const INDEX = 'index.html'
const UTF8 = /^text\/|^application\/(json|javascript)|\+xml$/

/** A file of the console, as it is sent. */
export interface ConsoleFile {
  readonly bytes: Buffer
  readonly mediaType: string
  /** True for a file whose name tells its contents, so that it never changes. */
  readonly isImmutable: boolean
}

/** The files of the console by their paths below `/console/`; the page itself is the one of the empty path. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

/** Reads the console into memory, where it is small; empty when it has not been built. */
export function readConsoleFiles(folder = BUILT): ConsoleFiles {
  return new Map(list(folder).map((path) => [path === INDEX ? '' : path, readFile(folder, path)]))
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
      .map((path) => path.split(sep).join('/'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function readFile(folder: string, path: string): ConsoleFile {
  const type = lookup(path) || 'application/octet-stream'
  return {
    bytes: readFileSync(join(folder, path)),
    mediaType: UTF8.test(type) ? `${type}; charset=utf-8` : type,
    isImmutable: path.startsWith('assets/'),
  }
}
