import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }

/** Whether the command line program `sqlite3`, with which the kit opens downloads, can be run. */
export async function hasSqlite3(): Promise<boolean> {
  try {
    await run('sqlite3', ['-version'])
    return true
  } catch {
    return false
  }
}

/** Installs `sqlite3` where that needs nobody's word: as root, with apt. Elsewhere nothing happens. */
export async function ensureSqlite3(): Promise<void> {
  if ((await hasSqlite3()) || process.getuid?.() !== 0) return
  const apt = (...args: string[]) =>
    run('apt-get', ['-qq', '-y', ...args], { env, timeout: 60_000 })
  const install = () => apt('install', '--no-install-recommends', 'sqlite3')
  try {
    await install().catch(async () => {
      await apt('update')
      await install()
    })
  } catch {
    // No apt, or no network: a test says what to install, and the steps that need it fail.
  }
}
