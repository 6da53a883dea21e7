import { countCells } from '../table/table-entry'
import { openEntryDatabase, type EntryDatabase, type KeyedEntry } from './entry-database'
import { KeptEntries, type OutboxEntry } from './kept-entries'
import { OpenPages } from './open-pages'

/** Values beyond this are lost when the page is closed. In characters, for each page. */
const MAX_CHARS = 5_000_000

/** The outbox, as far as it is stored. */
export interface StoredOutbox {
  readonly listEntries: () => readonly OutboxEntry[]
  /** Goes on with what another page has left. */
  readonly restore: (left: readonly KeyedEntry[]) => void
  /** Whether all that is in the outbox is stored. */
  readonly onKept: (isKept: boolean) => void
}

interface OpenStorage {
  readonly userId: number
  readonly database: EntryDatabase
  readonly pages: OpenPages
  readonly kept: KeptEntries
}

/**
 * Stores the outbox of this page in the browser, and takes over what closed pages of the same user have left: each entry is sent by
 * one page. Deletes what belongs to other users. Where the browser does not permit this, values are in the page only.
 */
export class OutboxStorage {
  private opening: Promise<void> | undefined
  private storage: OpenStorage | undefined
  /** Closed pages whose entries are in the outbox of this one, and not yet stored as such. */
  private readonly taken = new Map<string, () => void>()
  private isStopped = false
  private isScheduled = false
  private flushed = Promise.resolve()

  constructor(private readonly outbox: StoredOutbox) {}

  /** Begins to store, for the signed-in user, and again after `forget`. Never rejects. */
  start(userId: number): Promise<void> {
    this.isStopped = false
    this.opening ??= this.open(userId).catch(() => this.outbox.onKept(false))
    return this.opening.then(() => this.update())
  }

  /** Stores the entries that have changed, soon. */
  update(): void {
    if (!this.storage || this.isScheduled) return
    this.isScheduled = true
    this.flushed = this.flushed.then(() => this.flush())
  }

  /** Deletes what is stored of the user, from all pages, and stores nothing until `start`. */
  async forget(): Promise<void> {
    await this.opening
    if (!this.storage) return
    const { userId, database, pages } = this.storage
    this.stop()
    pages.forget()
    await this.flushed
    await database.apply({ remove: [[userId]], put: [] })
  }

  /** Returns the number of cells that other pages of the user have stored. Never rejects. */
  async countElsewhere(): Promise<number> {
    await this.opening
    if (!this.storage || this.isStopped) return 0
    const { userId, database, pages } = this.storage
    const entries = await database.read(userId).catch(() => [])
    const others = entries.filter(
      ({ key: [, page] }) => page !== pages.page && !this.taken.has(page),
    )
    return others.reduce((sum, { stored }) => sum + countCells(stored.contents), 0)
  }

  private async open(userId: number): Promise<void> {
    const database = await openEntryDatabase()
    const pages = new OpenPages(userId, {
      onOpened: () => {
        this.isStopped = false
        this.update()
      },
      onClosed: (page) => this.takeOver(page),
      onForget: () => void this.obey().catch(() => {}),
    })
    await database.removeOthers(userId)
    await pages.open()
    this.storage = { userId, database, pages, kept: new KeptEntries(userId, pages.page) }
    for (const page of await database.listPages(userId)) pages.follow(page)
  }

  /** Another page has made this one forget. What it was storing then is deleted as well. */
  private async obey(): Promise<void> {
    this.stop()
    await this.flushed
    if (!this.storage || !this.isStopped) return
    const { userId, database, pages } = this.storage
    await database.apply({ remove: [[userId, pages.page]], put: [] })
  }

  private stop(): void {
    this.isStopped = true
    this.storage?.kept.clear()
    this.outbox.onKept(false)
  }

  private async takeOver(page: string): Promise<void> {
    await this.opening
    if (!this.storage || this.isStopped) return
    const { userId, database } = this.storage
    const left = await database.read(userId, page)
    if (left.length === 0) return
    const isStored = new Promise<void>((resolve) => this.taken.set(page, resolve))
    this.outbox.restore(left)
    this.update()
    // No other page may take them over until then.
    await isStored
  }

  private async flush(): Promise<void> {
    this.isScheduled = false
    if (!this.storage || this.isStopped) return
    const { userId, database, kept } = this.storage
    const taken = [...this.taken]
    // What was stored stays stored.
    const limit = taken.length > 0 ? Infinity : MAX_CHARS
    const plan = kept.plan(this.outbox.listEntries(), limit)
    const pages = taken.map(([page]) => [userId, page])
    try {
      if (pages.length + plan.remove.length + plan.put.length > 0)
        await database.apply({ remove: [...pages, ...plan.remove], put: plan.put })
      for (const [page, resolve] of taken) {
        this.taken.delete(page)
        resolve()
      }
      this.outbox.onKept(plan.left === 0)
    } catch {
      // There is no more room, or the user has cleared the storage.
      kept.lose(plan)
      this.outbox.onKept(false)
      const remove = [...plan.remove, ...plan.put.map(([key]) => key)]
      await database.apply({ remove, put: [] }).catch(() => {})
    }
  }
}
