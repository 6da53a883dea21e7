import { createHash, type Hash } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@sheaf/kit/errors'
import { translateDiskErrors, translateSqliteError } from '../sqlite/sqlite-errors'
import { formatSize, requireRoom } from './attachments'

/** Limits of uploads. */
export interface AttachmentLimits {
  /** Bytes of one file. */
  readonly fileBytes: number
  /** Bytes of all files of a document; equal files count once. */
  readonly documentBytes: number
}

/** Files in one upload. */
const MAX_FILES = 1000

/** A file that has been received completely. */
export interface StagedFile<T> {
  readonly about: T
  readonly size: number
  /** In hexadecimal. */
  readonly sha1: string
  /** In hexadecimal. */
  readonly sha256: string
  /** Reads a part of it. */
  read(offset: number, length: number): Promise<Buffer>
}

interface Unfinished<T> {
  readonly about: T
  readonly start: number
  readonly sha1: Hash
  readonly sha256: Hash
}

/**
 * Files being uploaded to a document, one after the other in a temporary file. They are removed when this is
 * disposed of, or at the next start.
 */
export class StagedFiles<T> implements AsyncDisposable {
  /** The complete files. */
  readonly files: StagedFile<T>[] = []
  private length = 0
  private current: Unfinished<T> | undefined

  private constructor(
    private readonly folder: string,
    private readonly handle: FileHandle,
    private readonly limits: AttachmentLimits,
    private readonly closed: () => void,
  ) {}

  /**
   * @param folder a new one, which this removes
   * @param closed called once it is removed; not when opening fails
   */
  static async open<T>(
    folder: string,
    limits: AttachmentLimits,
    closed: () => void,
  ): Promise<StagedFiles<T>> {
    try {
      const handle = await open(join(folder, 'files'), 'wx+', 0o600)
      return new StagedFiles<T>(folder, handle, limits, closed)
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw translateSqliteError(error)
    }
  }

  /** Starts a file. Throws `too_large` when there are too many. */
  begin(about: T): void {
    if (this.current) throw new Error('a file is incomplete')
    if (this.files.length >= MAX_FILES)
      throw new AppError(
        'too_large',
        'ATTACHMENTS_TOO_LARGE',
        `a request must not have more than ${MAX_FILES} files`,
      )
    const [sha1, sha256] = [createHash('sha1'), createHash('sha256')]
    this.current = { about, start: this.length, sha1, sha256 }
  }

  /** Adds bytes to the current file. Throws `too_large` beyond a limit. */
  async write(bytes: Uint8Array): Promise<void> {
    const { current, limits } = this
    if (!current) throw new Error('no file was started')
    if (this.length - current.start + bytes.length > limits.fileBytes)
      throw new AppError(
        'too_large',
        'ATTACHMENT_TOO_LARGE',
        `Attachments must not exceed ${formatSize(limits.fileBytes)}`,
        { limit: String(limits.fileBytes), setting: 'SHEAF_MAX_ATTACHMENT_MB' },
      )
    requireRoom(this.length + bytes.length, limits.documentBytes)
    current.sha1.update(bytes)
    current.sha256.update(bytes)
    await translateDiskErrors(() => this.writeAll(bytes))
    this.length += bytes.length
  }

  /** Completes the current file. */
  end(): void {
    if (!this.current) return
    const { about, start, sha1, sha256 } = this.current
    this.current = undefined
    this.files.push({
      about,
      size: this.length - start,
      sha1: sha1.digest('hex'),
      sha256: sha256.digest('hex'),
      read: (offset, length) => this.read(start + offset, length),
    })
  }

  /** Discards the files so far, so that their space is reused. */
  async clear(): Promise<void> {
    this.current = undefined
    this.files.length = 0
    this.length = 0
    await translateDiskErrors(() => this.handle.truncate(0))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.handle.close()
      await rm(this.folder, { recursive: true, force: true })
    } finally {
      this.closed()
    }
  }

  /** A single write may store only part of the bytes, without an error. */
  private async writeAll(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await this.handle.write(
        bytes,
        at,
        bytes.length - at,
        this.length + at,
      )
      if (bytesWritten === 0) throw new Error('a staged file accepts no more bytes')
      at += bytesWritten
    }
  }

  private async read(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length)
    const { bytesRead } = await translateDiskErrors(() =>
      this.handle.read(buffer, 0, length, position),
    )
    if (bytesRead !== length) throw new Error('a staged file was truncated')
    return buffer
  }
}
