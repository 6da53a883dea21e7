import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** The parts of Pyodide that an evaluator loads. */
const PYODIDE_FILES = [
  'pyodide.mjs',
  'pyodide.asm.mjs',
  'pyodide.asm.wasm',
  'python_stdlib.zip',
  'pyodide-lock.json',
]
/** Sources of the evaluator, beside the code of this service. */
const SOURCES = join(__dirname, '../../evaluator')
/** Names the SHA-256 of each file of a runtime folder; written last. */
export const MANIFEST = 'manifest.json'
export const SNAPSHOT = 'snapshot.bin'

/** Platforms for which Deno has a package, by platform and architecture of Node. */
const packages: Readonly<Record<string, string>> = {
  'darwin-arm64': '@deno/darwin-arm64',
  'darwin-x64': '@deno/darwin-x64',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'linux-x64': '@deno/linux-x64-glibc',
}

/** The installed programs from which a runtime is made. */
export interface RuntimeParts {
  /** Path of the Deno executable. */
  readonly deno: string
  /** Files of the runtime folder: path within it, and where it comes from. */
  readonly files: ReadonlyMap<string, string>
  /** Names everything that a snapshot depends on. */
  readonly key: string
}

/** Why formulas cannot be computed on this machine. */
export class NoRuntime extends Error {}

/** Folder for files that can be made again; shared with the engines of `make run`. */
export function defaultCache(): string {
  return join(homedir(), '.cache', 'sheaf')
}

/** Finds the installed programs. Throws NoRuntime with one sentence when there is no Deno for this platform. */
export function findParts(): RuntimeParts {
  const { deno, version } = findDeno()
  const pyodide = dirname(require.resolve('pyodide/package.json'))
  const files = new Map<string, string>()
  for (const name of PYODIDE_FILES) files.set(name, join(pyodide, name))
  for (const name of listFiles(join(SOURCES, 'host'))) files.set(name, join(SOURCES, 'host', name))
  for (const name of listFiles(join(SOURCES, 'sheaf')))
    files.set(join('sheaf', name), join(SOURCES, 'sheaf', name))
  const hash = createHash('sha256')
  hash.update(`${version} ${process.platform}-${process.arch}\n`)
  // Files of Pyodide follow from its version.
  hash.update(`${readVersion(pyodide)}\n`)
  for (const [name, from] of files)
    if (!PYODIDE_FILES.includes(name)) hash.update(`${name}\n`).update(readFileSync(from))
  return { deno, files, key: hash.digest('hex').slice(0, 32) }
}

/** The folder of the runtime in a cache; it may not exist yet. */
export function runtimeFolder(cache: string, { key }: RuntimeParts): string {
  return join(cache, 'formulas', key)
}

/** True when the runtime was made. */
export function isMade(folder: string): boolean {
  return existsSync(join(folder, MANIFEST))
}

/** Throws an error when a file of the runtime is not as it was made. */
export async function verify(folder: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Record<
    string,
    string
  >
  for (const [name, hash] of Object.entries(manifest))
    if (sha256(await readFile(join(folder, name))) !== hash)
      throw new Error(`file ${name} of the formula runtime is damaged: delete ${folder}`)
}

/** SHA-256 in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function findDeno(): { deno: string; version: string } {
  const platform = `${process.platform}-${process.arch}`
  const name = packages[platform]
  try {
    if (name === undefined) throw new Error('there is no package')
    const folder = dirname(require.resolve(`${name}/package.json`))
    return { deno: join(folder, 'deno'), version: readVersion(folder) }
  } catch {
    throw new NoRuntime(`formulas are not computed: there is no Deno package for ${platform}`)
  }
}

function readVersion(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(py|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}
