import { createHash } from 'node:crypto'
import { AppError, toAppError } from '@sheaf/kit/errors'
import type { DocumentAccess } from '../document-access'
import { listAttachments, type Attachment } from './attachments'
import { readContent } from './content-reads'

const ROWS_AT_ONCE = 100

/**
 * Compares the bytes of every file with its hash, in short steps; returns the number of files. Throws
 * `unavailable` naming an attachment whose bytes are missing or differ.
 */
export async function verifyFiles(
  access: DocumentAccess,
  docId: string,
  signal: AbortSignal,
): Promise<number> {
  const seen = new Set<string>()
  for await (const { id, content } of allAttachments(access, docId)) {
    if (content && seen.has(content.hash)) continue
    if (!content || !(await isWhole(access, docId, { content, signal }))) {
      if (!exists(access, docId, id)) continue
      throw new AppError(
        'unavailable',
        'ATTACHMENT_DAMAGED',
        `the contents of attachment ${id} are missing or damaged`,
      )
    }
    seen.add(content.hash)
  }
  return seen.size
}

/** All attachments by row id, a few at a time. */
export async function* allAttachments(
  access: DocumentAccess,
  docId: string,
): AsyncGenerator<Attachment> {
  let after = 0
  for (;;) {
    const page = access.read<Attachment[]>(docId, ({ connection }) =>
      listAttachments(connection, { after, count: ROWS_AT_ONCE }),
    )
    yield* page
    if (page.length < ROWS_AT_ONCE) return
    after = page.at(-1)?.id ?? after
  }
}

async function isWhole(
  access: DocumentAccess,
  docId: string,
  of: { content: NonNullable<Attachment['content']>; signal: AbortSignal },
): Promise<boolean> {
  const digest = createHash('sha256')
  try {
    for await (const bytes of readContent(access, docId, of.content)) {
      of.signal.throwIfAborted()
      digest.update(bytes)
      await new Promise((resolve) => setImmediate(resolve))
    }
  } catch (error) {
    if (toAppError(error)?.reason === 'ATTACHMENT_GONE') return false
    throw error
  }
  return digest.digest('hex') === of.content.hash
}

/** A file that was removed meanwhile is not damaged. */
function exists(access: DocumentAccess, docId: string, id: number): boolean {
  return access.read<boolean>(docId, ({ connection }) => {
    const [found] = listAttachments(connection, { after: id - 1, count: 1 })
    return found?.id === id
  })
}
