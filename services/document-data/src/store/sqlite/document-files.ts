import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, writeSync } from 'node:fs'
import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@sheaf/kit/errors'
import { writeBase } from './base-file'
import { createFile, FolderSync, syncFile, syncWritten } from './durable-files'
import { isDocumentId, KeptFiles } from './kept-files'
import { UnpublishedMarkers } from './unpublished-markers'

/** Name of the file of a document, in its folder. */
export const DOCUMENT_FILE = 'document.sqlite'
/** Name of the file of its base, if it has one. */
export const BASE_FILE = 'base.sqlite.gz'
const TOMBSTONE = 'deleted'
/** Bytes that are kept free on the disk: a share of it, up to a maximum. */
const FREE_SHARE = 0.05
const MAX_FREE_BYTES = 1024 ** 3

/**
 * The files of documents: `<root>/<first 2 of the id>/<id>/document.sqlite`, with `base.sqlite.gz` beside it if the
 * document was not created empty. The folder of a document appears
 * complete, by renaming, and remains with a tombstone when the document is deleted, so that nothing recreates
 * it.
 */
export class DocumentFiles {
  /** The files of deleted documents. */
  readonly kept: KeptFiles

  private constructor(
    private readonly root: string,
    private readonly folders: FolderSync,
    /** Marks the documents that may have unpublished changes. */
    readonly unpublished: UnpublishedMarkers,
  ) {
    this.kept = new KeptFiles(root, folders, (docId) => join(this.folderOf(docId), TOMBSTONE))
  }

  /** Opens the folder, creating it if necessary, and removes the remains of interrupted creations. */
  static async open(root: string): Promise<DocumentFiles> {
    await rm(join(root, 'unfinished'), { recursive: true, force: true })
    await mkdir(join(root, 'unfinished'), { recursive: true, mode: 0o700 })
    // All possible ones, so that a new document has one folder less to make durable.
    for (let first = 0; first < 256; first++)
      await mkdir(join(root, first.toString(16).padStart(2, '0')), { recursive: true, mode: 0o700 })
    const folders = new FolderSync()
    await folders.sync(root)
    return new DocumentFiles(root, folders, UnpublishedMarkers.open(join(root, 'dirty'), folders))
  }

  /**
   * Path of a document's file. Throws `not_found` when there is none, `precondition` when it was deleted,
   * `invalid` for an id that is not a UUID in lower case: nothing else ever becomes part of a path.
   */
  find(docId: string): string {
    const folder = this.folderOf(docId)
    const path = join(folder, DOCUMENT_FILE)
    if (existsSync(join(folder, TOMBSTONE))) throw deleted()
    if (!existsSync(path))
      throw new AppError('not_found', 'DOCUMENT_NOT_FOUND', 'document not found')
    return path
  }

  /** Ids of the documents whose files are here. */
  async *list(): AsyncGenerator<string> {
    for (const first of await readdir(this.root)) {
      if (!/^[0-9a-f]{2}$/.test(first)) continue
      for (const docId of await readdir(join(this.root, first)))
        if (isDocumentId(docId) && existsSync(this.pathOf(docId))) yield docId
    }
  }

  /** Path of a document's file, whether it exists or not. Throws `invalid` as `find`. */
  pathOf(docId: string): string {
    return join(this.folderOf(docId), DOCUMENT_FILE)
  }

  /** Puts a complete file, durably, in the place of a document's file; no connection uses either. */
  async replace(docId: string, path: string): Promise<void> {
    const folder = this.folderOf(docId)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await syncWritten(path)
    // Before what was written ahead to the former file, which is not whole without it.
    await this.drop(docId)
    await rename(path, this.pathOf(docId))
    await this.folders.sync(folder)
    await this.folders.sync(join(folder, '..'))
  }

  /** Removes the file of a document that can be made again; no connection uses it. */
  async drop(docId: string): Promise<void> {
    for (const suffix of ['', '-wal', '-shm'])
      await rm(this.pathOf(docId) + suffix, { force: true })
  }

  /** Throws `invalid` for an id that is not a UUID in lower case. */
  requireId(docId: string): void {
    this.folderOf(docId)
  }

  /**
   * Creates a document whose file `write` writes, durably, to the path it is given, with that file as its base unless
   * the log holds all of it (`isEmpty`); it is on disk, and marked, when this returns. Throws `conflict` when it
   * exists, `precondition` when it was deleted.
   */
  async create(
    docId: string,
    write: (path: string) => Promise<void>,
    { isEmpty }: { readonly isEmpty: boolean },
  ): Promise<void> {
    const folder = this.folderOf(docId)
    this.requireFree(folder)
    let unfinished: string | undefined
    try {
      const marker = await this.unpublished.prepare(docId)
      unfinished = await this.createScratch()
      await write(join(unfinished, DOCUMENT_FILE))
      if (!isEmpty) await writeBase(join(unfinished, DOCUMENT_FILE), join(unfinished, BASE_FILE))
      // The marker too before the document becomes visible: its first entry is not published yet.
      await Promise.all([this.folders.sync(unfinished), marker.set()])
      await this.place(unfinished, folder)
    } catch (error) {
      if (unfinished) await rm(unfinished, { recursive: true, force: true })
      throw error
    }
  }

  /** Creates a folder for temporary files; its remains are removed at the next start. */
  async createScratch(): Promise<string> {
    const folder = join(this.root, 'unfinished', randomUUID())
    await mkdir(folder, { mode: 0o700 })
    return folder
  }

  /**
   * Removes the file of a document and leaves a tombstone, even when the document did not exist.
   * @param keeps true to keep the file, in `kept`
   */
  async remove(docId: string, keeps: boolean): Promise<void> {
    const folder = this.folderOf(docId)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const tombstone = join(folder, TOMBSTONE)
    // The time of the first one is that of the deletion.
    if (!existsSync(tombstone)) await writeDurably(tombstone, new Uint8Array())
    await this.folders.sync(folder)
    await this.folders.sync(join(folder, '..'))
    if (keeps && existsSync(this.pathOf(docId))) await this.kept.keep(docId, this.pathOf(docId))
    const files = ['', '-wal', '-shm'].map((suffix) => DOCUMENT_FILE + suffix)
    for (const file of [...files, BASE_FILE]) await rm(join(folder, file), { force: true })
    this.unpublished.clear(docId)
  }

  /** Removes the folder of a document without a trace; an existing tombstone stays. */
  async discard(docId: string): Promise<void> {
    const folder = this.folderOf(docId)
    if (!existsSync(folder) || existsSync(join(folder, TOMBSTONE))) return
    const scratch = await this.createScratch()
    await rename(folder, join(scratch, docId))
    await this.folders.sync(join(folder, '..'))
    await rm(scratch, { recursive: true, force: true })
    this.unpublished.clear(docId)
  }

  /** Free bytes on the disk of the documents. */
  async freeBytes(): Promise<number> {
    return (await this.diskBytes()).free
  }

  /** Bytes that the disk of the documents lacks to be free enough; negative for those that it has beyond that. */
  async lackingBytes(): Promise<number> {
    const { total, free } = await this.diskBytes()
    return Math.min(total * FREE_SHARE, MAX_FREE_BYTES) - free
  }

  /** Bytes of the disk of the documents, all and those that are free. */
  async diskBytes(): Promise<{ readonly total: number; readonly free: number }> {
    const { blocks, bavail, bsize } = await statfs(this.root)
    return { total: blocks * bsize, free: bavail * bsize }
  }

  private async place(unfinished: string, folder: string): Promise<void> {
    const parent = join(folder, '..')
    try {
      await rename(unfinished, folder)
    } catch (error) {
      this.requireFree(folder)
      throw error
    }
    await this.folders.sync(parent)
  }

  private requireFree(folder: string): void {
    if (existsSync(join(folder, TOMBSTONE))) throw deleted()
    if (existsSync(folder))
      throw new AppError('conflict', 'DOCUMENT_EXISTS', 'the document already exists')
  }

  private folderOf(docId: string): string {
    if (!isDocumentId(docId))
      throw new AppError('invalid', 'BAD_DOCUMENT_ID', 'doc_id must be a lowercase UUID')
    return join(this.root, docId.slice(0, 2), docId)
  }
}

function deleted(): AppError {
  return new AppError('precondition', 'DOCUMENT_DELETED', 'the document was deleted')
}

/** Writes a file; its bytes are on disk when the promise resolves. */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await createFile(path)
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
    await syncFile(file)
  } finally {
    closeSync(file)
  }
}
