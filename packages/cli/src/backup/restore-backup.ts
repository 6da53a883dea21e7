import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../cli-error'
import { checkBackupFile, readBackupLines } from './backup-file'
import type { BackupServices } from './backup-services'
import type { OnProgress } from './make-backup'
import { readManifest, tableFiles, type BackupDocument, type Manifest } from './manifest'

const CHUNK_BYTES = 256 * 1024

/** Progress of a restore: all files are verified first, and then restored. */
export interface RestoreProgress {
  readonly onChecked: OnProgress
  readonly onRestored: OnProgress
}

/**
 * Restores a backup into an empty Sheaf. Nothing is sent before the whole backup has been verified, and no
 * document is visible before the tables of directory are restored at the very end.
 */
export async function restoreBackup(
  services: BackupServices,
  folder: string,
  { onChecked, onRestored }: RestoreProgress,
): Promise<Manifest> {
  const manifest = await readManifest(folder)
  await requireEmpty(services)
  for (const { home } of manifest.documents) services.home(home)
  await checkFiles(folder, manifest, onChecked)

  const { documents, skipped } = manifest
  let done = 0
  onRestored(0, documents.length)
  for (const document of documents) {
    const parts = readDocument(folder, document)
    const home = services.home(document.home)
    const { seq } = await home.restoreDocument(parts, await services.context())
    if (seq !== document.seq)
      throw new CliError(`document ${document.docId} does not match the manifest`)
    onRestored(++done, documents.length)
  }
  const ends = documents.map(({ docId, seq }) => ({
    part: { $case: 'logEnd' as const, value: { docId, seq } },
  }))
  const webhooks = readLines(folder, tableFiles.webhook, ends)
  await services.webhook.restoreTables(webhooks, await services.context())
  const missing = skipped.map((value) => ({ part: { $case: 'missingDocId' as const, value } }))
  const tables = readLines(folder, tableFiles.directory, missing)
  await services.directory.restoreTables(tables, await services.context())
  return manifest
}

/** A first start creates its owner; anything else must not be mixed with restored data. */
async function requireEmpty(services: BackupServices): Promise<void> {
  const { users, sites, documents } = await services.directory.getContents(
    {},
    await services.context(),
  )
  if (users <= 1 && sites === 0 && documents === 0) return
  throw new CliError(
    `nothing was restored: this Sheaf is not empty, it has ${users} users, ${sites} team sites and ${documents} documents`,
  )
}

async function checkFiles(
  folder: string,
  { tables, documents }: Manifest,
  onChecked: OnProgress,
): Promise<void> {
  const files = [tables.directory, tables.webhook, ...documents]
  for (const [i, file] of files.entries()) {
    await checkBackupFile(folder, file)
    onChecked(i + 1, files.length)
  }
}

async function* readDocument(folder: string, { docId, path }: BackupDocument) {
  yield { part: { $case: 'docId' as const, value: docId } }
  const chunks = createReadStream(join(folder, path), { highWaterMark: CHUNK_BYTES })
  for await (const value of chunks as AsyncIterable<Buffer>)
    yield { part: { $case: 'chunk' as const, value } }
}

async function* readLines<T>(folder: string, path: string, rest: readonly T[]) {
  for await (const value of readBackupLines(folder, path))
    yield { part: { $case: 'line' as const, value } }
  yield* rest
}
