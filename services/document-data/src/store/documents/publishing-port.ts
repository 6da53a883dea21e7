import type { FirstEntries } from '../log/first-entries'
import type { LogEntry } from '../log/log'
import type { UnpublishedMarkers } from '../sqlite/unpublished-markers'
import type { OpenDocuments } from './open-documents'
import type { Replicator } from './replicator'

/** Dependencies of PublishingPort. */
interface PublishingParts {
  readonly documents: OpenDocuments
  readonly firstEntries: FirstEntries
  readonly replicator: Replicator | undefined
  readonly markers: UnpublishedMarkers
}

/** The logs of documents, which their publisher reads and confirms. */
export class PublishingPort {
  /** Called when a document has log entries to publish. */
  onLogged: (docId: string) => void = () => {}

  constructor(private readonly parts: PublishingParts) {}

  /** Ids of the documents that may have unpublished entries. */
  async listUnpublished(): Promise<string[]> {
    const { markers, replicator } = this.parts
    return [...new Set([...markers.list(), ...((await replicator?.listUnpublished()) ?? [])])]
  }

  /**
   * The next entries to publish, in order, including those added until `gathered` resolves. Returns the same
   * entries until they are confirmed.
   */
  async nextBatch(docId: string, gathered?: Promise<unknown>): Promise<LogEntry[]> {
    const { firstEntries, documents, replicator } = this.parts
    if (replicator) await replicator.prepare(docId)
    const first = firstEntries.find(docId)
    if (first) return first
    return documents.runAsync(docId, (doc) => doc.nextBatch(gathered))
  }

  /** The epoch of a document whose entries are published. Opens the file when necessary. */
  epochOf(docId: string): string {
    const { firstEntries, documents } = this.parts
    return firstEntries.epochOf(docId) ?? documents.look(docId, ({ epoch }) => epoch)
  }

  /** Records that NATS has confirmed the entries of a document up to this one. */
  confirmPublished(docId: string, seq: number): void {
    const { firstEntries, documents } = this.parts
    if (firstEntries.confirm(docId)) return
    documents.run(docId, (doc) => doc.confirmPublished(seq))
  }

  /**
   * Removes the marker of a document when all its entries are published. Resolves to true when the marker is
   * gone.
   */
  async settle(docId: string): Promise<boolean> {
    const { firstEntries, documents, replicator, markers } = this.parts
    if (!replicator && firstEntries.isConfirmed(docId)) {
      markers.clear(docId)
      return true
    }
    if (replicator) await replicator.prepare(docId)
    return documents.runAsync(docId, (doc) => doc.settle())
  }

  /** Whether another instance publishes what this one has not published of a document; false when that is not known. */
  isElsewhere(docId: string): Promise<boolean> {
    return this.parts.replicator?.isElsewhere(docId).catch(() => false) ?? Promise.resolve(false)
  }

  /** Removes the marker of a document that no longer exists, or that another instance publishes. */
  forget(docId: string): void {
    this.parts.markers.clear(docId)
  }
}
