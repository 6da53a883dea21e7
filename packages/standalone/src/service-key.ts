import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { serviceKeyPath } from '@sheaf/cli/run-file'

/**
 * Returns the file with the secret shared by the processes of this Sheaf; created on the first start,
 * readable by its owner only.
 */
export async function ensureServiceKey(dataDir: string): Promise<string> {
  const file = serviceKeyPath(dataDir)
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  if (kept.trim() !== '') return file
  const draft = `${file}.draft`
  const key = randomBytes(32).toString('base64url')
  await writeFile(draft, `${key}\n`, { mode: 0o600, flush: true })
  await rename(draft, file)
  return file
}
