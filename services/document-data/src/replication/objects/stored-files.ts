import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, deflateRaw, inflateRaw } from 'node:zlib'
import { AppError } from '@sheaf/kit/errors'
import { CHUNK_BYTES } from '../../store/attachments/file-contents'
import { inTurn } from './in-turn'
import type { ObjectStore } from './object-store'

/**
 * A multiple of the pages of a document file, so that a changed page changes one piece; and the size of a chunk of an
 * attachment.
 */
const PIECE_BYTES = CHUNK_BYTES

/** Reason of the error for a file that cannot be read from the store, however often that is tried. */
export const SNAPSHOT_DAMAGED = 'SNAPSHOT_DAMAGED'

const deflate = promisify<Buffer, { level: number }, Buffer>(deflateRaw)
const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw)

/** What the store holds of a file: its pieces, in order, by their SHA-256. */
interface Manifest {
  readonly format: 1
  readonly size: number
  readonly pieces: readonly string[]
}

/** Bytes that can be read at any place. */
export interface FileSource {
  readonly size: number
  read(offset: number, length: number): Promise<Buffer>
}

/**
 * Files of documents in an object store: each is cut into compressed pieces that are named by their contents, so that a
 * piece that several files have is stored once. A file is visible when its manifest is.
 */
export class StoredFiles {
  constructor(private readonly objects: ObjectStore) {}

  /**
   * Stores a file of a document under a name; durable when it resolves.
   * @param isAnew true to store all pieces, also those that the store has, since they may be damaged
   */
  async put(docId: string, name: string, source: FileSource, isAnew = false): Promise<void> {
    const { size } = source
    const pieces = new Array<string>(Math.ceil(size / PIECE_BYTES))
    await inTurn(pieces.length, async (index) => {
      const offset = index * PIECE_BYTES
      const bytes = await source.read(offset, Math.min(PIECE_BYTES, size - offset))
      const hash = createHash('sha256').update(bytes).digest('hex')
      pieces[index] = hash
      const piece = pieceName(docId, hash)
      // A piece that is used again must not be taken for one that is not used any more.
      if (isAnew || !(await this.objects.touch(piece)))
        await this.objects.put(piece, await deflate(bytes, { level: constants.Z_BEST_SPEED }))
    })
    const manifest: Manifest = { format: 1, size, pieces }
    await this.objects.put(manifestName(docId, name), Buffer.from(JSON.stringify(manifest)))
  }

  /** Stores a file on disk. Parameters as of `put`. */
  async putFile(docId: string, name: string, path: string, isAnew = false): Promise<void> {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      const read = async (offset: number, length: number) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
        if (bytesRead !== length) throw new Error('the file became shorter while it was read')
        return buffer
      }
      await this.put(docId, name, { size, read }, isAnew)
    } finally {
      await file.close()
    }
  }

  /** True when a document has a file with this name. */
  has(docId: string, name: string): Promise<boolean> {
    return this.objects.has(manifestName(docId, name))
  }

  /**
   * Writes a file to a new path; false when there is none with this name. Throws `unavailable` when a piece is missing or
   * is not what was stored.
   */
  async get(docId: string, name: string, path: string): Promise<boolean> {
    const found = await this.objects.get(manifestName(docId, name))
    if (!found) return false
    const { pieces } = readManifest(found)
    const file = await open(path, 'wx', 0o600)
    try {
      await inTurn(pieces.length, async (index) => {
        const bytes = await this.piece(docId, pieces[index] ?? '')
        await file.write(bytes, 0, bytes.length, index * PIECE_BYTES)
      })
      await file.sync()
    } finally {
      await file.close()
    }
    return true
  }

  /** Reads a file as `get` does, without a copy of it; false when there is none with this name. Throws as `get`. */
  async verify(docId: string, name: string): Promise<boolean> {
    const found = await this.objects.get(manifestName(docId, name))
    if (!found) return false
    const { pieces } = readManifest(found)
    await inTurn(
      pieces.length,
      async (index) => void (await this.piece(docId, pieces[index] ?? '')),
    )
    return true
  }

  /**
   * Removes the files of a folder of a document but one, and the pieces that no file has, if they were stored before this
   * time.
   */
  async sweep(
    docId: string,
    {
      folder,
      except,
      before,
    }: { readonly folder: string; readonly except: string; readonly before: number },
  ): Promise<void> {
    const swept = await this.objects.list(`${folderOf(docId)}/${folder}`)
    for (const { name } of swept)
      if (name !== manifestName(docId, except)) await this.objects.removeOld(name, before)
    const used = await this.usedPieces(docId)
    for (const { name, storedAt } of await this.objects.list(`${folderOf(docId)}/pieces`))
      if (storedAt < before && !used.has(name)) await this.objects.removeOld(name, before)
  }

  /** The names of the pieces of all files of a document. */
  private async usedPieces(docId: string): Promise<Set<string>> {
    const used = new Set<string>()
    for (const folder of FOLDERS)
      for (const { name } of await this.objects.list(`${folderOf(docId)}/${folder}`)) {
        const found = await this.objects.get(name)
        for (const hash of found ? readManifest(found).pieces : []) used.add(pieceName(docId, hash))
      }
    return used
  }

  /** Removes all files of a document. */
  remove(docId: string): Promise<void> {
    return this.objects.removeFolder(folderOf(docId))
  }

  private async piece(docId: string, hash: string): Promise<Buffer> {
    const stored = await this.objects.get(pieceName(docId, hash))
    const bytes =
      stored && (await inflate(stored, { maxOutputLength: PIECE_BYTES }).catch(() => undefined))
    if (!bytes || createHash('sha256').update(bytes).digest('hex') !== hash) throw damaged()
    return bytes
  }
}

/** Folders of the files of a document. */
const FOLDERS = ['snapshots', 'contents']

/** Throws `unavailable` for one that is damaged. */
function readManifest(bytes: Buffer): Manifest {
  try {
    const manifest = JSON.parse(bytes.toString()) as Manifest
    if (Array.isArray(manifest.pieces)) return manifest
  } catch {
    // Reported below.
  }
  throw damaged()
}

function damaged(): AppError {
  return new AppError('unavailable', 'SNAPSHOT_DAMAGED', 'the snapshot of the document is damaged')
}

const folderOf = (docId: string) => `${docId.slice(0, 2)}/${docId}`
const pieceName = (docId: string, hash: string) => `${folderOf(docId)}/pieces/${hash}`
const manifestName = (docId: string, name: string) => `${folderOf(docId)}/${name}.json`
