import type { IncomingMessage } from 'node:http'
import { cutText } from '@sheaf/kit/truncate-text'

/** More of an answer is not read; the connection is closed instead. */
const MAX_BYTES = 64 * 1024
/** The excerpt that is kept, in UTF-16 units; nothing of UTF-8 needs more than three bytes for one. */
const EXCERPT = 1_024
const EXCERPT_BYTES = EXCERPT * 3

/**
 * Reads an answer to its end, or as far as it is read at all, and returns its beginning as text. Rejects when it breaks
 * off before.
 */
export function readAnswer(message: IncomingMessage): Promise<string> {
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
      reject(Object.assign(new Error('the answer broke off'), { code: 'ECONNRESET' })),
    )
  })
}

/** Text that PostgreSQL can keep, cut between characters. */
function toExcerpt(head: readonly Buffer[]): string {
  const bytes = Buffer.concat(head)
  // Streaming leaves out a last character of which only a part is there.
  const text = new TextDecoder().decode(bytes, { stream: true })
  return cutText(text.replaceAll('\0', '\ufffd'), EXCERPT)
}
