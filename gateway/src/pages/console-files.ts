import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { lookup } from 'mime-types'
import { codings, type Coding } from '../http/compression'

/** The build folder of the console, relative to the gateway's sources as well as to its build output. */
const BUILT = join(__dirname, '../../console/dist')
const INDEX = 'index.html'
const UTF8 = /^text\/|^application\/(json|javascript)|\+xml$/

/** Endings of files that contain another one in a content coding. The build makes them. */
const ENDINGS: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' }

/** The bytes of a file in one content coding, or as they are. */
export interface Representation {
  readonly bytes: Buffer
  /** Strong, so different for each coding. */
  readonly etag: string
}

/** A file of the console, ready to be sent. */
export interface ConsoleFile extends Representation {
  readonly mediaType: string
  /** The same file compressed, by coding; empty for one that compression does not shorten. */
  readonly encoded: ReadonlyMap<Coding, Representation>
  /** True for a file whose name contains a content hash, so that it never changes. */
  readonly isImmutable: boolean
}

/** The files of the console by path below `/console/`; the empty path is the page itself. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

/** Reads the console, which is small, into memory; returns an empty map when it has not been built. */
export function readConsoleFiles(folder = BUILT): ConsoleFiles {
  const paths = new Set(list(folder))
  const isEncoded = (path: string) =>
    Object.values(ENDINGS).some(
      (end) => path.endsWith(end) && paths.has(path.slice(0, -end.length)),
    )
  const own = [...paths].filter((path) => !isEncoded(path))
  return new Map(
    own.map((path) => [path === INDEX ? '' : path, readFile(folder, path, paths)] as const),
  )
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

function readFile(folder: string, path: string, paths: ReadonlySet<string>): ConsoleFile {
  const type = lookup(path) || 'application/octet-stream'
  const bytes = readFileSync(join(folder, path))
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  const encoded = codings
    .filter((coding) => paths.has(path + ENDINGS[coding]))
    .map((coding) => {
      const packed = readFileSync(join(folder, path + ENDINGS[coding]))
      return [coding, { bytes: packed, etag: `"${hash}-${coding}"` }] as const
    })
  return {
    bytes,
    etag: `"${hash}"`,
    encoded: new Map(encoded),
    mediaType: UTF8.test(type) ? `${type}; charset=utf-8` : type,
    isImmutable: path.startsWith('assets/'),
  }
}
