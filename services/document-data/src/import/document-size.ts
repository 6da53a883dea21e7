import { tooMuch } from './import-errors'
import { importLimits } from './import-limits'

const MIB = 1024 * 1024
/** About what SQLite keeps beside the values of a row. */
const ROW_BYTES = 16

/**
 * Adds up what is stored in the document of an import. A small file can name the same long text, or blank cells, any
 * number of times, so its own size bounds nothing.
 */
export class DocumentSize {
  private bytes = 0

  constructor(private readonly most: number = importLimits.documentBytes) {}

  /**
   * Counts the values of one more row; cells up to `width` are blank. Throws `too_large` when the document takes more
   * than it may.
   */
  addRow(values: readonly unknown[], width = values.length): void {
    this.bytes += ROW_BYTES + width
    for (const value of values) this.bytes += bytesOf(value)
    if (this.bytes > this.most)
      throw tooMuch(`the document must not be larger than ${Math.floor(this.most / MIB)} MiB`)
  }
}

/** About what a value takes beside the byte that tells its kind. */
function bytesOf(value: unknown): number {
  if (value === null || value === undefined) return 0
  if (typeof value === 'string') return Buffer.byteLength(value)
  return Buffer.isBuffer(value) ? value.length : 8
}
