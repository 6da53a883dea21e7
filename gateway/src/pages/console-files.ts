import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { lookup } from 'mime-types'

/** The build folder of the console, relative to the gateway's sources as well as to its build output. */
const BUILT = join(__dirname, '../../console/dist')
const INDEX = 'index.html'
const UTF8 = /^text\/|^application\/(json|javascript)|\+xml$/

/** A file of the console, ready to be sent. */
export interface ConsoleFile {
  readonly bytes: Buffer
  readonly mediaType: string
  /** True for a file whose name contains a content hash, so that it never changes. */
  readonly isImmutable: boolean
}

/** The files of the console by path below `/console/`; the empty path is the page itself. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

/** Reads the console, which is small, into memory; returns an empty map when it has not been built. */
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
