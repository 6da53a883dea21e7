const NEWLINE = 10

/** Which lines of a stream to return. */
interface LineBudget {
  /** Lines to skip. */
  readonly skip: number
  /** Lines to return at most. */
  readonly rows: number
  /** Bytes to return at most. */
  readonly bytes: number
}

/** Lines of a stream within a budget. */
export interface Lines {
  readonly lines: readonly string[]
  /** True when further lines follow, or may follow. */
  readonly hasMore: boolean
  /** True when the bytes were the limit. */
  readonly isFull: boolean
}

/**
 * Reads lines from chunks of UTF-8, and stops reading at the limits of the budget. Lines are not split: one that does not
 * fit ends the result, which may then be empty.
 */
export async function readLines(
  chunks: AsyncIterable<{ readonly chunk: Uint8Array }>,
  budget: LineBudget,
): Promise<Lines> {
  const lines: string[] = []
  let skipped = 0
  let bytes = 0
  let parts: Buffer[] = []
  let partBytes = 0
  /** Returns what ends the reading, if anything does. */
  const take = (line: Buffer): Lines | undefined => {
    if (line.length === 0) return undefined
    if (skipped < budget.skip) {
      skipped++
      return undefined
    }
    if (lines.length >= budget.rows) return { lines, hasMore: true, isFull: false }
    bytes += line.length + 1
    if (bytes > budget.bytes) return { lines, hasMore: true, isFull: true }
    lines.push(line.toString())
    return undefined
  }
  for await (const { chunk } of chunks) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    let start = 0
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, start)) {
      parts.push(buffer.subarray(start, end))
      start = end + 1
      const stop = take(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts))
      if (stop) return stop
      parts = []
      partBytes = 0
    }
    if (start === buffer.length) continue
    parts.push(buffer.subarray(start))
    partBytes += buffer.length - start
    // The rest of a line that cannot fit is not worth reading.
    if (skipped >= budget.skip && lines.length < budget.rows && bytes + partBytes > budget.bytes)
      return { lines, hasMore: true, isFull: true }
  }
  const stop = take(Buffer.concat(parts))
  return stop ?? { lines, hasMore: false, isFull: false }
}
