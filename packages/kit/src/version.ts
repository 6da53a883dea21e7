import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of this Sheaf. */
export interface Version {
  /** From package.json. */
  readonly version: string
  /** The first 12 digits of the commit that it was built from; undefined when the build did not know it. */
  readonly commit?: string
}

let known: Version | undefined

/** The version of this process. Read once. */
export function getVersion(): Version {
  known ??= readVersion(join(__dirname, '..'))
  return known
}

/** A version in one word, such as `0.1.0` or `0.1.0+4f2c9e0a1b3d`. */
export function formatVersion({ version, commit }: Version): string {
  return commit === undefined ? version : `${version}+${commit}`
}

/** Reads the version from the folder of this package; `make build` writes the commit beside the code. */
export function readVersion(folder: string): Version {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Version
  const commit = readCommit(join(folder, 'dist/commit'))
  return commit === undefined ? { version } : { version, commit }
}

function readCommit(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim()
    return /^[0-9a-f]{12}$/.test(text) ? text : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
