import { randomUUID } from 'node:crypto'
import type { DocumentAccess } from '../document-access'
import type { Author } from '../log/log'
import { ContentMissingError, requireRoom } from './attachments'
import {
  addChunk,
  beginContent,
  CHUNK_BYTES,
  findContent,
  measureContents,
  type ActiveUploads,
} from './file-contents'
import type { StagedFile } from './staged-files'

/** Bytes that one transaction stores, so that other writes of the document proceed in between. */
const STORED_AT_ONCE = 2 * CHUNK_BYTES
/**
 * Attempts to store the contents: an existing content may be removed before the upload ends; the next attempt
 * then stores it itself.
 */
const ATTEMPTS = 3

/** Stores contents outside of this instance. */
interface ContentKeeper {
  keepContent(docId: string, file: StagedFile<unknown>): Promise<void>
}

/** The parts of the store that an upload needs. */
export interface UploadTo extends DocumentAccess {
  readonly shared: { readonly uploads: ActiveUploads; readonly replicator?: ContentKeeper }
  /** Schedules the removal of contents that belong to no attachment and are claimed by no running upload. */
  removeOrphanedContents(docId: string): void
}

/** What to store, and for whom. */
export interface Upload {
  readonly docId: string
  readonly author: Author
  readonly files: readonly StagedFile<unknown>[]
  /** Bytes of all files of a document at most. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/**
 * Stores contents in a document, in bounded steps between other writes, and then runs `commit`, which
 * receives the name of the upload, claims the contents and thereby makes them visible. Unless it succeeds,
 * nothing is kept. Throws `too_large` when there is no room, and what `commit` throws.
 */
export async function storeContents<T>(
  store: UploadTo,
  upload: Upload,
  commit: (name: string) => Promise<T>,
): Promise<T> {
  const name = randomUUID()
  store.shared.uploads.begin(name)
  try {
    for (let attempt = 1; ; attempt++) {
      await storeMissing(store, upload, name)
      try {
        return await commit(name)
      } catch (error) {
        if (!(error instanceof ContentMissingError) || attempt >= ATTEMPTS) throw error
      }
    }
  } finally {
    store.shared.uploads.end(name)
    store.removeOrphanedContents(upload.docId)
  }
}

async function storeMissing(store: UploadTo, upload: Upload, name: string): Promise<void> {
  const { docId, maxBytes } = upload
  const byHash = new Map(upload.files.map((file) => [file.sha256, file]))
  const { missing, stored } = store.read(docId, ({ connection }) => ({
    missing: [...byHash.values()].filter(({ sha256 }) => !findContent(connection, sha256)),
    stored: measureContents(connection),
  }))
  if (missing.length === 0) return
  const more = missing.reduce((sum, { size }) => sum + size, 0)
  requireRoom(stored + more, maxBytes)
  for (const file of missing) {
    await store.shared.replicator?.keepContent(docId, file)
    await storeContent(store, upload, { file, name })
  }
}

async function storeContent(
  store: DocumentAccess,
  { docId, author, signal }: Upload,
  { file, name }: { readonly file: StagedFile<unknown>; readonly name: string },
): Promise<void> {
  const { size, sha256: hash } = file
  const write = <R>(run: Parameters<typeof store.transact<R>>[2]) =>
    store.transact<R>(docId, author, run, signal)
  const { result } = await write<{ fileId: number; isNew: boolean }>(({ connection }) =>
    beginContent(connection, name, { hash, size }),
  )
  if (!result.isNew) return
  for (let offset = 0; offset < size; offset += STORED_AT_ONCE) {
    signal.throwIfAborted()
    const bytes = await file.read(offset, Math.min(STORED_AT_ONCE, size - offset))
    await write<void>(({ connection }) => {
      for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
        addChunk(connection, result.fileId, {
          position: (offset + start) / CHUNK_BYTES,
          bytes: bytes.subarray(start, start + CHUNK_BYTES),
        })
    })
  }
}
