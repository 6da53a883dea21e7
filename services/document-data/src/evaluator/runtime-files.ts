import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFile,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { makeFolder } from '@sheaf/kit/make-folder'
import { DENO_ENVIRONMENT, denoArguments, findDeno, NO_DENO, type Deno } from './deno'
import { timeZoneFiles } from './time-zone-files'

/** The sources of this package's evaluator: the folders `host` and `sheaf`. */
const EVALUATOR = resolve(__dirname, '../../evaluator')
const PYODIDE = dirname(require.resolve('pyodide/package.json'))
/** The packages beside Deno that the snapshot is made of. */
const PACKAGE_FILES = ['pyodide/package.json', 'moment-timezone/package.json']
const PYODIDE_FILES = ['pyodide.mjs', 'pyodide.asm.mjs', 'pyodide.asm.wasm', 'python_stdlib.zip']
const MANIFEST = 'manifest.json'
const SNAPSHOT = 'snapshot.bin'
/** Limits of making a snapshot, which takes some seconds. */
const MAKE_MS = 120_000
const MAX_SNAPSHOT_BYTES = 512 * 1024 * 1024
/** Attempts to make and to place files, while other processes may do the same. */
const ATTEMPTS = 5
/** Runtimes of other versions are removed when they have not been used for so long. */
const KEEP_MS = 24 * 3600 * 1000

/** The files that an evaluator process needs. */
export interface RuntimeFiles {
  readonly deno: Deno
  /** The only folder that the process may read. */
  readonly folder: string
}

/** Where the files come from. */
export interface RuntimeSource {
  /** Made files are in its subfolder `formulas`. */
  readonly cacheFolder: string
  /** Folder with the Python package `sheaf`; that of this package when absent. */
  readonly pythonFolder?: string
}

/** The runtimes that this process has verified. */
const verified = new Map<string, Promise<RuntimeFiles>>()

/**
 * Returns the runtime of these sources. It is made when it is missing or damaged, and its files are compared with its
 * manifest once per process. Throws where Deno is missing, and when the sources fail to load.
 */
export function runtimeFiles(source: RuntimeSource): Promise<RuntimeFiles> {
  const key = JSON.stringify([resolve(source.cacheFolder), source.pythonFolder])
  let found = verified.get(key)
  if (!found) {
    found = findOrMake(source)
    verified.set(key, found)
    found.catch(() => verified.delete(key))
  }
  return found
}

async function findOrMake({
  cacheFolder,
  pythonFolder = join(EVALUATOR, 'sheaf'),
}: RuntimeSource): Promise<RuntimeFiles> {
  const deno = findDeno()
  if (!deno) throw new Error(NO_DENO)
  const sources = await readSources(pythonFolder)
  const parent = resolve(cacheFolder, 'formulas')
  const folder = join(parent, await runtimeKey(deno, sources))
  // Another process that has found the former files damaged may move away those that were just made.
  for (let attempt = 0; !(await isIntact(folder)); attempt++) {
    if (attempt === ATTEMPTS) throw new Error(`the files in ${folder} are damaged`)
    await makeFolder(parent)
    await make({ deno, sources, parent, folder })
  }
  await utimes(folder, new Date(), new Date()).catch(() => {})
  return { deno, folder }
}

/** The sources by path: Python's below `python/`, those of the host below `host/`. */
async function readSources(pythonFolder: string): Promise<Map<string, string>> {
  const sources = new Map<string, string>()
  const add = async (folder: string, prefix: string) => {
    const names = await readdir(folder, { recursive: true })
    for (const name of names.filter((path) => /\.(py|js)$/.test(path)).sort())
      sources.set(`${prefix}${name}`, await readFile(join(folder, name), 'utf8'))
  }
  await add(join(EVALUATOR, 'host'), 'host/')
  await add(pythonFolder, 'python/')
  return sources
}

/** A name that differs when anything differs that the snapshot is made of. */
async function runtimeKey(deno: Deno, sources: ReadonlyMap<string, string>): Promise<string> {
  const versions = await Promise.all(
    PACKAGE_FILES.map(async (name) => {
      const { version } = await readJson<{ version: string }>(require.resolve(name))
      return version
    }),
  )
  const hash = createHash('sha256').update(JSON.stringify([deno.version, versions, ...sources]))
  return hash.digest('hex').slice(0, 32)
}

/** True when all files that the manifest names are there with its hashes. */
async function isIntact(folder: string): Promise<boolean> {
  try {
    const manifest = await readJson<Record<string, string>>(join(folder, MANIFEST))
    const names = Object.keys(manifest)
    const hashes = await Promise.all(names.map((name) => hashFile(join(folder, name))))
    return names.includes(SNAPSHOT) && names.every((name, at) => manifest[name] === hashes[at])
  } catch {
    return false
  }
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8')) as T
}

async function hashFile(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}

interface Making {
  readonly deno: Deno
  readonly sources: ReadonlyMap<string, string>
  readonly parent: string
  readonly folder: string
}

/** Makes a runtime in a temporary folder and renames it, so that a folder of this name is complete. */
async function make({ deno, sources, parent, folder }: Making): Promise<void> {
  const temporary = await mkdtemp(join(parent, 'new-'))
  try {
    await writeInputs(temporary, sources)
    await writeFile(join(temporary, SNAPSHOT), await makeSnapshot(deno, temporary))
    await writeManifest(temporary)
    await place(temporary, folder)
    await removeUnused(parent)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Gives a folder its name, unless an intact one has it, which another process made meanwhile. */
async function place(temporary: string, folder: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++)
    try {
      return await rename(temporary, folder)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['ENOTEMPTY', 'EEXIST'].includes(code)) throw error
      if (await isIntact(folder)) return
      // Moved before it is removed, so that no process sees a part of it.
      const damaged = `${temporary}-damaged`
      await rename(folder, damaged).catch(() => {})
      await rm(damaged, { recursive: true, force: true })
    }
}

async function writeInputs(folder: string, sources: ReadonlyMap<string, string>): Promise<void> {
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, name), JSON.stringify(content))
  for (const name of PYODIDE_FILES) await copyFile(join(PYODIDE, name), join(folder, name))
  const lock = await readJson<object>(join(PYODIDE, 'pyodide-lock.json'))
  // No package of the distribution is used.
  await write('pyodide-lock.json', { ...lock, packages: {} })
  const python: Record<string, string> = {}
  for (const [path, text] of sources) {
    const name = path.replace(/^host\//, '')
    if (path.startsWith('python/')) python[path.replace(/^python\//, 'sheaf/')] = text
    else if (name.endsWith('.py')) python[name] = text
    else await writeFile(join(folder, name), text)
  }
  await write('python.json', python)
  const zones = [...timeZoneFiles()].map(([name, file]) => [name, file.toString('base64')])
  await write('zones.json', Object.fromEntries(zones))
}

async function makeSnapshot(deno: Deno, folder: string): Promise<Buffer> {
  const run = promisify(execFile)
  try {
    const { stdout } = await run(deno.program, denoArguments(folder, 'make-snapshot.js', []), {
      cwd: folder,
      env: DENO_ENVIRONMENT,
      encoding: 'buffer',
      timeout: MAKE_MS,
      maxBuffer: MAX_SNAPSHOT_BYTES,
    })
    return stdout
  } catch (error) {
    const { stderr = '' } = error as { stderr?: Buffer | string }
    throw new Error(`the snapshot of the evaluator could not be made: ${String(stderr)}`, {
      cause: error,
    })
  }
}

async function writeManifest(folder: string): Promise<void> {
  const names = (await readdir(folder)).sort()
  const hashes = await Promise.all(names.map((name) => hashFile(join(folder, name))))
  const manifest = Object.fromEntries(names.map((name, at) => [name, hashes[at]]))
  await writeFile(join(folder, MANIFEST), JSON.stringify(manifest, null, 2))
}

async function removeUnused(parent: string): Promise<void> {
  const before = Date.now() - KEEP_MS
  for (const name of await readdir(parent)) {
    const path = join(parent, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
    if (mtimeMs < before) await rm(path, { recursive: true, force: true })
  }
}
