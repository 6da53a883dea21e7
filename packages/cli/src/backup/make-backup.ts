import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { toAppError } from '@sheaf/kit/errors'
import { makeFolder } from '@sheaf/kit/make-folder'
import { formatVersion, getVersion } from '@sheaf/kit/version'
import { CliError } from '../cli-error'
import { syncFolder, writeBackupFile } from './backup-file'
import type { BackupServices, DocumentLocation } from './backup-services'
import { documentPath, MANIFEST, tableFiles, type BackupDocument, type Manifest } from './manifest'

/** Called with the number of completed documents. */
export type OnProgress = (done: number, total: number) => void

const LINE_END = Buffer.from('\n')
/** Attempts for a document whose instance is busy or unreachable. */
const TRIES = 15
const RETRY_MS = 1000

/**
 * Writes a backup to a new or empty folder. Tables come first: each document is copied at a later moment, so
 * that it includes everything that the tables refer to. Throws CliError when the folder is not empty.
 */
export async function makeBackup(
  services: BackupServices,
  folder: string,
  onProgress: OnProgress,
): Promise<Manifest> {
  const startedAt = new Date().toISOString()
  await prepareFolder(folder)
  const context = () => services.context()
  const places: DocumentLocation[] = []
  const webhook = await writeBackupFile(
    folder,
    tableFiles.webhook,
    toLines(services.webhook.readTables({}, await context())),
  )
  const directory = await writeBackupFile(
    folder,
    tableFiles.directory,
    toLines(services.directory.readTables({}, await context()), (line) =>
      places.push(...readDocumentLocations(line)),
    ),
  )
  const documents: BackupDocument[] = []
  const skipped: string[] = []
  onProgress(0, places.length)
  for (const place of places) {
    const document = await copyDocument(services, folder, place)
    if (document) documents.push(document)
    else skipped.push(place.docId)
    onProgress(documents.length + skipped.length, places.length)
  }
  await syncFolder(join(folder, 'documents'))
  const bytes = [directory, webhook, ...documents].reduce((sum, { size }) => sum + size, 0)
  const manifest: Manifest = {
    format: 1,
    version: formatVersion(getVersion()),
    startedAt,
    finishedAt: new Date().toISOString(),
    counts: { documents: documents.length, skipped: skipped.length, bytes },
    tables: { directory, webhook },
    documents,
    skipped,
  }
  await writeManifest(folder, manifest)
  return manifest
}

async function prepareFolder(folder: string): Promise<void> {
  await makeFolder(folder).catch((error: Error) => {
    throw new CliError(`failed to create the folder of the backup: ${error.message}`)
  })
  if ((await readdir(folder)).length > 0)
    throw new CliError(`${folder} is not empty: each backup requires its own folder`)
  await makeFolder(join(folder, 'documents'))
}

/** Written last, atomically. */
async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = `${MANIFEST}.draft`
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  await writeBackupFile(folder, draft, toChunks([text]))
  await rename(join(folder, draft), join(folder, MANIFEST))
  await syncFolder(folder)
}

async function* toLines(
  answers: AsyncIterable<{ readonly line: Uint8Array }>,
  look: (line: string) => void = () => {},
): AsyncGenerator<Uint8Array> {
  for await (const { line } of answers) {
    look(Buffer.from(line).toString())
    yield line
    yield LINE_END
  }
}

/** Returns the documents in a line of directory's tables. */
function readDocumentLocations(text: string): DocumentLocation[] {
  const line = JSON.parse(text) as { table?: string; rows?: { doc_id: string; home: string }[] }
  if (line.table !== 'documents') return []
  return (line.rows ?? []).map(({ doc_id: docId, home }) => ({ docId, home }))
}

/**
 * Copies a document; undefined when it was deleted since the tables were read. Retries while its instance is
 * busy or unreachable.
 */
async function copyDocument(
  services: BackupServices,
  folder: string,
  place: DocumentLocation,
): Promise<BackupDocument | undefined> {
  const { docId } = place
  for (let tries = 1; ; tries++) {
    try {
      return await readDocument(services, folder, place)
    } catch (error) {
      // A deleted document leaves a tombstone; a missing one without it was lost, which must be reported.
      const known = toAppError(error)
      if (known?.reason === 'DOCUMENT_DELETED') {
        await rm(join(folder, documentPath(docId)), { force: true })
        return undefined
      }
      if (!known) throw error
      if (known.code !== 'unavailable' || tries === TRIES)
        throw new CliError(`failed to back up document ${docId}: ${known.message}`)
    }
    await delay(RETRY_MS)
  }
}

async function readDocument(
  services: BackupServices,
  folder: string,
  place: DocumentLocation,
): Promise<BackupDocument | undefined> {
  const { docId, home } = place
  const instance = await services.homeOf(place)
  if (!instance) return undefined
  const answers = instance.readDocument({ docId }, await services.context())
  const incoming = answers[Symbol.asyncIterator]()
  try {
    const first = await incoming.next()
    if (first.done) throw new CliError(`document ${docId} was received without its header`)
    const { seq = 0, size } = first.value
    const file = await writeBackupFile(folder, documentPath(docId), readChunks(incoming))
    if (file.size !== size) throw new CliError(`document ${docId} was received incompletely`)
    return { docId, home, seq, ...file }
  } finally {
    await incoming.return?.()
  }
}

async function* readChunks(
  incoming: AsyncIterator<{ readonly chunk: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  for (let next = await incoming.next(); !next.done; next = await incoming.next())
    yield next.value.chunk
}

async function* toChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
