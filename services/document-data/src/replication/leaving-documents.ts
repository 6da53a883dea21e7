/** The documents that are being handed over to other instances. */
export class LeavingDocuments {
  private readonly leaving = new Set<string>()
  private handingOver: Promise<unknown> = Promise.resolve()

  /** @param stopUsing ends the use of a document, in order */
  constructor(private readonly stopUsing: (docId: string) => Promise<void>) {}

  /** True while calls for the document have to be refused. */
  has(docId: string): boolean {
    return this.leaving.has(docId)
  }

  /** Ends the use of documents, and refuses calls for them until `assign` has settled. One hand-over runs at a time. */
  handOver<T>(docIds: readonly string[], assign: () => Promise<T>): Promise<T> {
    // Of two for the same document, the first to end would let it be used again while the other one gives it away.
    const handingOver = this.handingOver.then(() => this.handOverNow(docIds, assign))
    this.handingOver = handingOver.catch(() => {})
    return handingOver
  }

  /** Resolves when the hand-overs that have begun have ended. */
  async settled(): Promise<void> {
    await this.handingOver
  }

  private async handOverNow<T>(docIds: readonly string[], assign: () => Promise<T>): Promise<T> {
    for (const docId of docIds) this.leaving.add(docId)
    try {
      await Promise.all(docIds.map((docId) => this.stopUsing(docId)))
      return await assign()
    } finally {
      for (const docId of docIds) this.leaving.delete(docId)
    }
  }
}
