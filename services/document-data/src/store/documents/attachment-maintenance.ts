import { toAppError } from '@sheaf/kit/errors'
import { updateUsed } from '../attachments/attachment-removal'
import type { DocumentAccess } from '../document-access'
import type { OpenDocument } from './open-document'

/** Milliseconds after which a changed document is examined again. */
const EVERY_MS = 3600 * 1000
/** Milliseconds for which a new upload is exempt, because it is about to be put into a cell. */
const SPARED_MS = 3600 * 1000

interface Look {
  readonly at: number
  readonly seq: number
}

/** Records which attachments of the open documents are unused, one document at a time. */
export class AttachmentMaintenance implements AsyncDisposable {
  private readonly looks = new WeakMap<OpenDocument, Look>()
  private readonly ended = new AbortController()
  private running: Promise<void> | undefined

  constructor(
    private readonly access: DocumentAccess,
    private readonly failed: (error: unknown, docId: string) => void,
  ) {}

  /** Examines a document if it is due and no other document is being examined. */
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
      // The document was deleted or is too busy; a later sweep retries.
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
