import { createHash } from 'node:crypto'
import { AppError, toAppError } from '@sheaf/kit/errors'
import type { DocumentDoors } from '../document-access'
import { listAttachments, type Attachment } from './attachments'
import { readContent } from './content-reads'

const ROWS_AT_ONCE = 100

/**
 * Compares the bytes of every file with its hash, in short steps; answers how many files there are. Throws `unavailable`
 * naming an attachment whose bytes are missing or are others.
 */
export async function verifyFiles(
  doors: DocumentDoors,
  docId: string,
  signal: AbortSignal,
): Promise<number> {
  const seen = new Set<string>()
  for await (const { id, content } of allAttachments(doors, docId)) {
    if (content && seen.has(content.hash)) continue
    if (!content || !(await isWhole(doors, docId, { content, signal }))) {
      if (!exists(doors, docId, id)) continue
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
  doors: DocumentDoors,
  docId: string,
): AsyncGenerator<Attachment> {
  let after = 0
  for (;;) {
    const page = doors.read<Attachment[]>(docId, ({ connection }) =>
      listAttachments(connection, { after, count: ROWS_AT_ONCE }),
    )
    yield* page
    if (page.length < ROWS_AT_ONCE) return
    after = page.at(-1)?.id ?? after
  }
}

async function isWhole(
  doors: DocumentDoors,
  docId: string,
  of: { content: NonNullable<Attachment['content']>; signal: AbortSignal },
): Promise<boolean> {
  const digest = createHash('sha256')
  try {
    for await (const bytes of readContent(doors, docId, of.content)) {
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

/** What was removed meanwhile is not damaged. */
function exists(doors: DocumentDoors, docId: string, id: number): boolean {
  return doors.read<boolean>(docId, ({ connection }) => {
    const [found] = listAttachments(connection, { after: id - 1, count: 1 })
    return found?.id === id
  })
}
