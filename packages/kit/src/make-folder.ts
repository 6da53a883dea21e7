import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder and those above it, as far as they are missing, for its user only. Throws the error of the operating
 * system. Node's own recursive `mkdir` never returns where a file system, such as `/proc`, reports an existing parent as missing.
 */
export async function makeFolder(folder: string): Promise<void> {
  const path = resolve(folder)
  const missing: string[] = []
  for (let at = path; !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at)
  for (const step of missing) await makeOne(step)
  if (!(await stat(path)).isDirectory())
    throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' })
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
