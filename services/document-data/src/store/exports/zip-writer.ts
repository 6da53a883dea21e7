import { constants, crc32, deflateRawSync } from 'node:zlib'
import { Zip, type AsyncFlateStreamHandler, type ZipInputFile } from 'fflate'
import { AppError } from '@sheaf/kit/errors'

/** Sheets are repetitive XML: a higher level hardly makes them smaller. */
const LEVEL = 1
/** Largest size of a file, and of the archive, that the directory of a zip can hold. */
const MAX_BYTES = 0xffff_ffff
/** The end of a deflate stream: an empty final block. */
const LAST_BLOCK = Buffer.from([3, 0])

/**
 * A zip archive written piece by piece, synchronously and holding no more than a piece. Every piece is
 * compressed independently and ends at a byte boundary; all of them together are one deflate stream.
 */
export class ZipWriter {
  private readonly zip: Zip
  private readonly made: Buffer[] = []
  private file: ZipInputFile & { ondata?: AsyncFlateStreamHandler } = noFile()
  private total = 0

  constructor() {
    this.zip = new Zip((error, bytes) => {
      if (error) throw error
      this.made.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    })
  }

  /** Begins the next file. */
  begin(filename: string): void {
    this.file = { ...noFile(), filename }
    this.zip.add(this.file)
  }

  /**
   * Adds to the file; returns the finished part of the archive. Throws `invalid` beyond the size limit of a
   * zip.
   */
  add(bytes: Buffer): Buffer {
    const { file } = this
    file.size += bytes.length
    file.crc = crc32(bytes, file.crc)
    const finishFlush = constants.Z_SYNC_FLUSH
    return this.send(deflateRawSync(bytes, { level: LEVEL, finishFlush }), false)
  }

  /** Ends the file; returns the finished part of the archive. */
  end(): Buffer {
    return this.send(LAST_BLOCK, true)
  }

  /** Ends the archive; returns the rest of it. */
  finish(): Buffer {
    this.zip.end()
    return this.take()
  }

  private send(deflated: Buffer, isLast: boolean): Buffer {
    const { buffer, byteOffset, length } = deflated
    this.file.ondata?.(null, new Uint8Array(buffer as ArrayBuffer, byteOffset, length), isLast)
    return this.take()
  }

  private take(): Buffer {
    const bytes = Buffer.concat(this.made.splice(0))
    this.total += bytes.length
    if (this.total > MAX_BYTES || this.file.size > MAX_BYTES)
      throw new AppError('invalid', 'EXPORT_TOO_LARGE', 'a sheet is larger than 4 GiB')
    return bytes
  }
}

const noFile = (): ZipInputFile => ({ filename: '', size: 0, crc: 0, compression: 8 })
