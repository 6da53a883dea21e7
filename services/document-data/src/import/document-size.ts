import { tooMuch } from './import-errors'
import { importLimits } from './import-limits'

const MIB = 1024 * 1024
/** Approximate overhead of SQLite per row, in bytes. */
const ROW_BYTES = 16

/**
 * Adds up the stored size of an imported document. A small file can reference the same long text, or blank
 * cells, any number of times, so its own size is no bound.
 */
export class DocumentSize {
  private bytes = 0

  constructor(private readonly most: number = importLimits.documentBytes) {}

  /**
   * Counts the values of one more row; cells up to `width` are blank. Throws `too_large` when the document
   * exceeds its limit.
   */
  addRow(values: readonly unknown[], width = values.length): void {
    this.bytes += ROW_BYTES + width
    for (const value of values) this.bytes += bytesOf(value)
    if (this.bytes > this.most)
      throw tooMuch(`the document must not be larger than ${Math.floor(this.most / MIB)} MiB`)
  }
}

/** Approximate size of a value, in addition to its type byte. */
function bytesOf(value: unknown): number {
  if (value === null || value === undefined) return 0
  if (typeof value === 'string') return Buffer.byteLength(value)
  return Buffer.isBuffer(value) ? value.length : 8
}
