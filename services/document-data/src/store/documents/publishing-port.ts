import type { FirstEntries } from '../log/first-entries'
import type { LogEntry } from '../log/log'
import type { UnpublishedMarkers } from '../sqlite/unpublished-markers'
import type { OpenDocuments } from './open-documents'

/** The logs of documents, which their publisher reads and confirms. */
export class PublishingPort {
  /** Called when a document has log entries to publish. */
  onLogged: (docId: string) => void = () => {}

  constructor(
    private readonly documents: OpenDocuments,
    private readonly firstEntries: FirstEntries,
    private readonly markers: UnpublishedMarkers,
  ) {}

  /** Ids of the documents that may have unpublished entries. */
  listUnpublished(): string[] {
    return this.markers.list()
  }

  /**
   * The next entries to publish, in order, including those added until `gathered` resolves. Returns the same
   * entries until they are confirmed.
   */
  async nextBatch(docId: string, gathered?: Promise<unknown>): Promise<LogEntry[]> {
    const first = this.firstEntries.find(docId)
    if (first) return first
    return this.documents.runAsync(docId, (doc) => doc.nextBatch(gathered))
  }

  /** The epoch of a document whose entries are published. Opens the file when necessary. */
  epochOf(docId: string): string {
    return this.firstEntries.epochOf(docId) ?? this.documents.look(docId, ({ epoch }) => epoch)
  }

  /** Records that NATS has confirmed the entries of a document up to this one. */
  confirmPublished(docId: string, seq: number): void {
    if (this.firstEntries.confirm(docId)) return
    this.documents.run(docId, (doc) => doc.confirmPublished(seq))
  }

  /**
   * Removes the marker of a document when all its entries are published. Resolves to true when the marker is
   * gone.
   */
  async settle(docId: string): Promise<boolean> {
    if (this.firstEntries.isConfirmed(docId)) {
      this.markers.clear(docId)
      return true
    }
    return this.documents.runAsync(docId, (doc) => doc.settle())
  }

  /** Removes the marker of a document that no longer exists. */
  forget(docId: string): void {
    this.markers.clear(docId)
  }
}
