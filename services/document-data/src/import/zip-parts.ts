import type { Readable } from 'node:stream'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { badFile, tooMuch } from './import-errors'
import { importLimits } from './import-limits'

/**
 * The parts of a zip file, by name. Their uncompressed size is bounded twice: by the sizes declared in the
 * directory, and by the bytes actually produced, which must not exceed the declared size.
 */
export class ZipParts implements AsyncDisposable {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /**
   * Reads the directory. Throws `invalid` for a file that is not a zip archive, `too_large` for too many or
   * too large parts.
   */
  static async open(path: string): Promise<ZipParts> {
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(notZip)
    try {
      return new ZipParts(zip, await listEntries(zip))
    } catch (error) {
      zip.close()
      throw error
    }
  }

  has(name: string): boolean {
    return this.entries.has(name)
  }

  /** The decompressed bytes of a part; none when it does not exist. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.entries.get(name)
    if (!entry) return
    if (!entry.canDecodeFileData()) throw badFile('the file is encrypted', name)
    try {
      const stream: Readable = await this.zip.openReadStreamPromise(entry)
      for await (const bytes of stream as AsyncIterable<Buffer>) yield bytes
    } catch (error) {
      throw isOfSystem(error) ? error : badFile('failed to decompress the part', name)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.zip.close()
  }
}

function notZip(error: unknown): never {
  throw isOfSystem(error) ? error : badFile('the XLSX file is damaged or incomplete')
}

/** True for an error of the disk, which is not the fault of the file. */
function isOfSystem(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^E[A-Z]+$/.test(code)
}

function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > importLimits.parts)
    throw tooMuch(`the file must not have more than ${importLimits.parts} parts`)
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>()
    let bytes = 0
    zip.on('error', (error: Error) => {
      reject(isOfSystem(error) ? error : badFile('the XLSX file is damaged or incomplete'))
    })
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      bytes += entry.uncompressedSize
      if (bytes > importLimits.unpackedBytes) {
        const megabytes = importLimits.unpackedBytes / 1024 / 1024
        return reject(tooMuch(`the decompressed file must not be larger than ${megabytes} MiB`))
      }
      entries.set(entry.fileName, entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
}
