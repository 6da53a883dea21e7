import { AppError, toAppError } from '@sheaf/kit/errors'
import { waitForDrain } from '@sheaf/kit/wait-for-drain'
import { extract, type Extract } from 'tar-stream'
import type { Connection } from '../sqlite/connections'
import type { DocumentWriter } from '../document'
import { ATTACHMENTS, describeColumns, requireRoom } from './attachments'
import { storeContents, type Upload, type UploadTo } from './attachment-uploads'
import { claimContent, measureContents } from './file-contents'
import type { StagedFile, StagedFiles } from './staged-files'

/** Result of restoring the files of an archive. */
export interface Restored {
  /** Files that were missing and have been restored. */
  added: number
  /** Files that could not be stored. */
  errored: number
  /** Files that are not missing, or unknown. */
  unused: number
}

/** Everything that a restore needs besides the archive. */
export interface RestoreTo {
  readonly store: UploadTo
  readonly staged: StagedFiles<undefined>
  readonly upload: Omit<Upload, 'files'>
}

/**
 * Restores, from a tar archive, the bytes of attachments that are known by their SHA-1 but have none, one
 * file after the other. Throws `invalid` for a file that is not a tar archive, and the reason of the signal;
 * files restored by then remain.
 */
export async function restoreFiles(
  to: RestoreTo,
  chunks: AsyncIterable<Uint8Array>,
): Promise<Restored> {
  const restored: Restored = { added: 0, errored: 0, unused: 0 }
  const { signal } = to.upload
  signal.throwIfAborted()
  const archive = extract()
  const stop = () => archive.destroy(signal.reason as Error)
  signal.addEventListener('abort', stop, { once: true })
  let failed: unknown
  const fed = feed(archive, chunks).catch((error: unknown) => {
    failed = error
    archive.destroy(error as Error)
  })
  try {
    for await (const entry of archive) {
      // tar-stream waits without end for an entry whose size it cannot read.
      if (!Number.isSafeInteger(entry.header.size)) throw badTar()
      if (entry.header.type === 'file') restored[await restoreEntry(to, entry)]++
      else entry.resume()
    }
  } catch (error) {
    throw failed ?? (toAppError(error) ? error : notTar(error))
  } finally {
    signal.removeEventListener('abort', stop)
    archive.destroy()
    await fed
  }
  return restored
}

async function feed(archive: Extract, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    if (archive.destroyed) return
    if (!archive.write(chunk)) await waitForDrain(archive)
  }
  archive.end(null)
}

function notTar(cause: unknown): unknown {
  const { message } = cause as Error
  return TAR_ERRORS.test(message) ? badTar() : cause
}

/** The errors of tar-stream for data that is not a tar archive, or has a header of more than 4 MiB. */
const TAR_ERRORS = /tar header|^invalid header|header exceeds|end of data|size mismatch/i

const badTar = () => new AppError('invalid', 'NO_TAR', 'File is not a valid .tar')

type Entry = Extract extends AsyncIterable<infer E> ? E : never

async function restoreEntry(to: RestoreTo, entry: Entry): Promise<keyof Restored> {
  const { staged, store, upload } = to
  staged.begin(undefined)
  try {
    await stageEntry(staged, entry)
    const [file] = staged.files
    if (!file || findMissing(store, upload.docId, file).length === 0) return 'unused'
    await storeContents(store, { ...upload, files: [file] }, (name) =>
      store.transact<void>(
        upload.docId,
        upload.author,
        (doc) => attach(doc, file, { upload: name, maxBytes: upload.maxBytes }),
        upload.signal,
      ),
    )
    return 'added'
  } catch (error) {
    if (toAppError(error)?.code !== 'too_large') throw error
    return 'errored'
  } finally {
    await staged.clear()
  }
}

/** The rest of a file that is too large is read and dropped: leaving an entry early would end the archive. */
async function stageEntry(staged: StagedFiles<undefined>, entry: Entry): Promise<void> {
  let tooLarge: AppError | undefined
  for await (const bytes of entry) {
    if (tooLarge) continue
    try {
      await staged.write(bytes as Uint8Array)
    } catch (error) {
      tooLarge = toAppError(error)
      if (tooLarge?.code !== 'too_large') throw error
    }
  }
  if (tooLarge) throw tooLarge
  staged.end()
}

const MISSING = `
  SELECT a.id, a.fileSize FROM _grist_Attachments a
    LEFT JOIN _sheaf_attachments l ON l.id = a.id
    LEFT JOIN _sheaf_files f ON f.id = l.file_id AND f.pending IS NULL
  WHERE f.id IS NULL AND substr(a.fileIdent, 1, 40) = ? ORDER BY a.id`

interface MissingRow {
  readonly id: number
  readonly fileSize: number
}

const listMissing = (connection: Connection, sha1: string) =>
  connection.prepare<MissingRow>(MISSING).all(sha1)

function findMissing(store: UploadTo, docId: string, { sha1 }: StagedFile<unknown>): MissingRow[] {
  return store.read<MissingRow[]>(docId, ({ connection }) => listMissing(connection, sha1))
}

/**
 * Stores the bytes for all attachments that lack them, and corrects their recorded size. Throws `too_large`
 * when the document would exceed `maxBytes`.
 */
function attach(
  doc: DocumentWriter,
  file: StagedFile<unknown>,
  { upload, maxBytes }: { readonly upload: string; readonly maxBytes: number },
): void {
  const { connection } = doc
  const rows = listMissing(connection, file.sha1)
  if (rows.length === 0) return
  const claimed = claimContent(connection, upload, file.sha256)
  if (!claimed) throw new Error('the content of an upload is missing')
  if (claimed.isNew) requireRoom(measureContents(connection), maxBytes)
  const link = connection.prepare('INSERT OR REPLACE INTO _sheaf_attachments VALUES (?, ?)')
  const correct = connection.prepare('UPDATE _grist_Attachments SET fileSize = ? WHERE id = ?')
  for (const { id } of rows) {
    link.run(id, claimed.fileId)
    correct.run(BigInt(file.size), id)
  }
  const sizes = { old: rows.map(({ fileSize }) => fileSize), new: rows.map(() => file.size) }
  doc.record({
    kind: 'update_rows',
    table: ATTACHMENTS,
    tableRef: 0,
    rowIds: rows.map(({ id }) => id),
    columns: describeColumns(() => sizes).filter(({ id }) => id === 'fileSize'),
    contents: rows.map(() => ({ hash: file.sha256, size: file.size })),
  })
}
