import { toAppError } from '@sheaf/kit/errors'
import { updateUsed } from '../attachments/attachment-removal'
import type { DocumentAccess } from '../document-access'
import type { OpenDocument } from './open-document'

/** A document that has changed is looked at again after so long. */
const EVERY_MS = 3600 * 1000
/** What was just uploaded is about to be put into a cell. */
const SPARED_MS = 3600 * 1000

interface Look {
  readonly at: number
  readonly seq: number
}

/** Notes of the documents that are open which of their attachments are unused; of one after the other. */
export class AttachmentMaintenance implements AsyncDisposable {
  private readonly looks = new WeakMap<OpenDocument, Look>()
  private readonly ended = new AbortController()
  private running: Promise<void> | undefined

  constructor(
    private readonly access: DocumentAccess,
    private readonly failed: (error: unknown, docId: string) => void,
  ) {}

  /** Begins with a document when its time has come and no other one is being looked at. */
  look(doc: OpenDocument): void {
    if (this.running || this.ended.signal.aborted) return
    const last = this.looks.get(doc)
    const { seq } = doc.state
    if (last && (last.seq === seq || Date.now() - last.at < EVERY_MS)) return
    this.looks.set(doc, { at: Date.now(), seq })
    try {
      if (hasAttachments(doc)) this.running = this.run(doc)
    } catch (error) {
      this.failed(error, doc.docId)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort(new Error('the store is closed'))
    await this.running
  }

  private async run({ docId }: OpenDocument): Promise<void> {
    const { signal } = this.ended
    const author = { userId: 0, cause: 'api' as const, traceparent: '' }
    try {
      await updateUsed(this.access, { docId, author, signal }, SPARED_MS)
    } catch (error) {
      // The document was deleted, or is too busy: another time.
      if (!signal.aborted && !toAppError(error)) this.failed(error, docId)
    } finally {
      this.running = undefined
    }
  }
}

function hasAttachments(doc: OpenDocument): boolean {
  const sql = 'SELECT 1 FROM _grist_Attachments LIMIT 1'
  return doc.read(({ connection }) => connection.pluck(sql).get()) !== undefined
}
