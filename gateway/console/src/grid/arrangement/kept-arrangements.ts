import { saveDocPreferences } from '../../api/doc-preferences'
import type { StoredArrangement } from './stored-arrangement'

/** Wait before a change is sent: one of a width is followed by others. In milliseconds. */
export const SEND_MS = 600

/** Key of what a page that is left has not stored, and how long the next page goes by it, in milliseconds. */
const HANDOVER = 'sheaf-arrangements'
const HANDOVER_MS = 10_000

/** What the page of this browser has arranged in a table; null for what was reset. */
export type KeptArrangement = StoredArrangement | null

/** Sends arrangements of tables by their refs. With `isLeaving`, the request outlives the page. */
export type Send = (
  docId: string,
  tables: Readonly<Record<string, KeptArrangement>>,
  isLeaving: boolean,
) => Promise<unknown>

/** What a page hands over to the next one. */
interface Handover {
  readonly at: number
  readonly documents: Readonly<Record<string, Readonly<Record<string, KeptArrangement>>>>
}

interface KeptDocument {
  readonly tables: Map<string, KeptArrangement>
  /** Refs of tables whose arrangement is not stored. */
  readonly unsent: Set<string>
  timer: number | undefined
  isSending: boolean
}

/**
 * The arrangements that were changed in this page, which go before those that were read with the document. Each is sent a
 * moment after the last change, and once more with the next one if that fails.
 */
export class KeptArrangements {
  private readonly documents = new Map<string, KeptDocument>()
  private readonly listeners = new Set<() => void>()
  /** Called with what prevents arrangements from being stored. */
  onFailure: (error: unknown) => void = () => {}

  /** @param handover storage of the tab: the page that was left shortly before may still be sending what is in it */
  constructor(
    private readonly send: Send,
    private readonly handover?: Storage,
  ) {
    this.takeOver()
  }

  /** Returns what is kept of a table; undefined if that was not arranged in this page. */
  find(docId: string, tableRef: number): KeptArrangement | undefined {
    return this.documents.get(docId)?.tables.get(String(tableRef))
  }

  /** Keeps the arrangement of a table, and stores it soon. */
  keep(docId: string, tableRef: number, arrangement: KeptArrangement): void {
    const kept = this.documents.get(docId) ?? newDocument()
    this.documents.set(docId, kept)
    kept.tables.set(String(tableRef), arrangement)
    kept.unsent.add(String(tableRef))
    this.schedule(docId, kept)
    for (const listener of this.listeners) listener()
  }

  /**
   * Sends at once what is not stored: the page is left. Resolves when it is answered. What is stored is not sent again by a page
   * that the user comes back to, since it may have been arranged elsewhere meanwhile.
   */
  async leave(): Promise<void> {
    this.handOver()
    const sending = [...this.documents].map(async ([docId, kept]) => {
      clearTimeout(kept.timer)
      if (kept.unsent.size > 0) await this.sendUnsent(docId, kept, true)
    })
    await Promise.all(sending)
  }

  /** Calls back when an arrangement changes. Returns a function that unsubscribes. */
  readonly watch = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Leaves what is not stored to the page that is opened next in this tab, which may read the document before it is stored. */
  private handOver(): void {
    const unsent = [...this.documents].filter(([, kept]) => kept.unsent.size > 0)
    if (unsent.length === 0) return
    const documents = Object.fromEntries(unsent.map(([docId, kept]) => [docId, unsentOf(kept)]))
    this.handover?.setItem(HANDOVER, JSON.stringify({ at: Date.now(), documents }))
  }

  private takeOver(): void {
    const stored = this.handover?.getItem(HANDOVER) ?? null
    this.handover?.removeItem(HANDOVER)
    if (stored === null) return
    const { at, documents } = JSON.parse(stored) as Handover
    if (Date.now() - at > HANDOVER_MS) return
    for (const [docId, tables] of Object.entries(documents))
      this.documents.set(docId, { ...newDocument(), tables: new Map(Object.entries(tables)) })
  }

  private schedule(docId: string, kept: KeptDocument): void {
    clearTimeout(kept.timer)
    kept.timer = setTimeout(() => void this.sendNext(docId, kept), SEND_MS)
  }

  private async sendNext(docId: string, kept: KeptDocument): Promise<void> {
    // A later request could be stored before this one.
    if (kept.isSending) return this.schedule(docId, kept)
    kept.isSending = true
    await this.sendUnsent(docId, kept, false)
    kept.isSending = false
  }

  private async sendUnsent(docId: string, kept: KeptDocument, isLeaving: boolean): Promise<void> {
    const sent = unsentOf(kept)
    try {
      await this.send(docId, sent, isLeaving)
      for (const [ref, arrangement] of Object.entries(sent))
        if (kept.tables.get(ref) === arrangement) kept.unsent.delete(ref)
    } catch (error) {
      this.onFailure(error)
    }
  }
}

const newDocument = (): KeptDocument => ({
  tables: new Map(),
  unsent: new Set(),
  timer: undefined,
  isSending: false,
})

function unsentOf({ tables, unsent }: KeptDocument): Record<string, KeptArrangement> {
  return Object.fromEntries([...unsent].map((ref) => [ref, tables.get(ref) ?? null]))
}

/** The arrangements of this page. */
export const keptArrangements = new KeptArrangements(
  (docId, tables, isLeaving) => saveDocPreferences(docId, { tables }, isLeaving),
  globalThis.sessionStorage,
)
