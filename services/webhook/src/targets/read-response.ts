import type { IncomingMessage } from 'node:http'
import { cutText } from '@sheaf/kit/truncate-text'

/** A longer response is not read further; the connection is closed instead. */
const MAX_BYTES = 64 * 1024
/** Length of the stored excerpt, in UTF-16 units, each of which takes at most three bytes of UTF-8. */
const EXCERPT = 1_024
const EXCERPT_BYTES = EXCERPT * 3

/**
 * Reads a response to its end, or up to the limit, and returns its beginning as text. Rejects when it is
 * truncated.
 */
export function readResponse(message: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const head: Buffer[] = []
    let bytes = 0
    message.on('data', (chunk: Buffer) => {
      if (bytes < EXCERPT_BYTES) head.push(chunk.subarray(0, EXCERPT_BYTES - bytes))
      bytes += chunk.length
      if (bytes <= MAX_BYTES) return
      resolve(toExcerpt(head))
      message.destroy()
    })
    message.on('end', () => resolve(toExcerpt(head)))
    message.on('error', reject)
    message.on('close', () =>
      reject(Object.assign(new Error('the response was incomplete'), { code: 'ECONNRESET' })),
    )
  })
}

/** Returns text that PostgreSQL can store, cut between characters. */
function toExcerpt(head: readonly Buffer[]): string {
  const bytes = Buffer.concat(head)
  // Streaming drops an incomplete last character.
  const text = new TextDecoder().decode(bytes, { stream: true })
  return cutText(text.replaceAll('\0', '\ufffd'), EXCERPT)
}
