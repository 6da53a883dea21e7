import { setTimeout as delay } from 'node:timers/promises'
import type { SystemTokenSource } from '@sheaf/auth/system-token'
import { toAppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import { Pin, type HomeDocument, type HomesService } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { DocumentStore } from '../../store/documents/document-store'
import type { LocalDocuments } from '../../store/documents/replicator'
import type { HomeLease } from '../home-lease'
import { documentMoved } from '../opening'
import { notReplicated } from './not-replicated'

/** Milliseconds between two looks for documents that are to be adopted, and for the lease that this needs. */
const LOOK_MS = 10_000
const LEASE_MS = 250
/** Milliseconds for an answer of directory. */
const ANSWER_MS = 5_000
/** Why a file cannot be used, whenever that is tried again. */
const UNUSABLE = new Set([
  'DOCUMENT_DAMAGED',
  'DOCUMENT_NOT_FOUND',
  'DOCUMENT_TOO_NEW',
  'LOG_BEHIND',
])

/** Why no document can be replicated at present. */
const AWAY = new Set([
  'DATABASE_BUSY',
  'DATABASE_UNAVAILABLE',
  'HOME_LEASE_ENDED',
  'STORE_FULL',
  'STORE_UNAVAILABLE',
])

/** What became of an attempt; after `away`, no other document can be adopted either. */
type Outcome = 'adopted' | 'failed' | 'away'

/** Dependencies of Adoptions. */
export interface AdoptionsParts {
  /** Name of this instance, and the random id of its process. */
  readonly instance: string
  readonly startId: string
  readonly lease: Pick<HomeLease, 'isHeld'>
  readonly homes: Pick<HomesService, 'listHomeDocuments' | 'pinHomeDocuments'>
  readonly systemTokens: Pick<SystemTokenSource, 'token'>
  readonly log: Logger
  /** Another time between two looks, for tests. */
  readonly lookMs?: number
}

/**
 * Adopts the documents that this instance has written without replication, one after another, while they are used. Directory
 * pins each to this instance until then. Lets go of those that an instance which is away has adopted, and could not tell
 * directory so.
 */
export class Adoptions implements AsyncDisposable {
  private readonly ended = new AbortController()
  private readonly running: Promise<void>
  /** Documents that were reported as unusable. */
  private readonly reported = new Set<string>()
  /** Documents that were released since this instance began to look for those to adopt. */
  private readonly released = new Set<string>()
  private hasRemoved = false
  /** Names of the instances whose lease has ended, … */
  private endedHomes: readonly string[] = []
  /** … and the id of the last document of each that was looked at. */
  private readonly seen = new Map<string, number>()
  /** The latest adoption or release: they run one after another, since each takes room for copies of a document on the disk. */
  private latest: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly documents: Pick<DocumentStore, 'shared'>,
    private readonly parts: AdoptionsParts,
  ) {
    this.running = this.run()
  }

  /**
   * Adopts a document, if it is on the disk of this instance alone, and lets directory assign it to others. Rejects as
   * `LocalDocuments.adopt`, and with `unavailable` when directory cannot be reached.
   */
  adopt(docId: string): Promise<void> {
    return this.inTurn((local) => this.adoptNow(docId, local))
  }

  /**
   * Ends the replication of a document, and pins it to this instance, which does not adopt it by itself any more. Rejects as
   * `LocalDocuments.release`, and with `unavailable` when directory cannot be reached.
   */
  release(docId: string): Promise<void> {
    return this.inTurn(async (local) => {
      await local.release(docId, async () => {
        if (!(await this.pin(docId, Pin.LOCAL))) throw documentMoved()
        this.released.add(docId)
      })
    })
  }

  /** Takes the names of the instances whose lease has ended and was not granted again. */
  noteEnded(names: readonly string[]): void {
    this.endedHomes = names
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort()
    await this.running
  }

  private async run(): Promise<void> {
    const { lease, lookMs = LOOK_MS, log } = this.parts
    for (let wait = LEASE_MS; !this.ended.signal.aborted;) {
      await delay(wait, undefined, { signal: this.ended.signal, ref: false }).catch(() => {})
      wait = LEASE_MS
      if (this.ended.signal.aborted || !lease.isHeld()) continue
      wait = lookMs
      await this.look().catch((error: unknown) => {
        if (!this.ended.signal.aborted)
          log.warn({ err: error }, 'failed to look for documents to replicate, retrying')
      })
    }
  }

  private async look(): Promise<void> {
    const { replicator } = this.documents.shared
    if (!this.hasRemoved) await replicator?.local.removeDeleted()
    this.hasRemoved = true
    await this.adoptAll()
    // A pin may have arrived after the document was adopted again.
    await this.inTurn((local) => this.letGo(this.parts.instance, local))
    if (replicator) for (const home of this.endedHomes) await this.letGo(home, replicator.local)
  }

  /** Ends when no document can be adopted at present. */
  private async adoptAll(): Promise<void> {
    const { instance: home, homes, log } = this.parts
    const count = { adopted: 0, failed: 0 }
    let isAway = false
    this.released.clear()
    for (let afterId = 0; !isAway && !this.ended.signal.aborted;) {
      const request = { home, afterId, pinnedOnly: true, pin: Pin.WAITING }
      const { documents } = await homes.listHomeDocuments(request, await this.call())
      const last = documents.at(-1)
      if (!last) break
      if (afterId === 0 && documents.some(({ docId }) => !this.reported.has(docId)))
        log.info('documents on this disk are being replicated')
      for (const document of documents) {
        if (this.ended.signal.aborted) break
        const outcome = await this.tryAdopt(document)
        isAway = outcome === 'away'
        if (isAway) break
        count[outcome === 'adopted' ? 'adopted' : 'failed']++
      }
      afterId = last.id
    }
    if (count.adopted > 0) log.info(count, 'documents on this disk were replicated')
  }

  private async tryAdopt({ docId, published }: HomeDocument): Promise<Outcome> {
    try {
      await this.inTurn(async (local) => {
        if (!this.released.has(docId)) await this.adoptNow(docId, local)
      })
      return 'adopted'
    } catch (error) {
      // One that is not published is being made.
      if (published && !this.ended.signal.aborted) this.report(docId, error)
      return AWAY.has(toAppError(error)?.reason ?? '') ? 'away' : 'failed'
    }
  }

  /** Lets directory assign the pinned documents of an instance to others that are stored, some at each look. */
  private async letGo(home: string, local: LocalDocuments): Promise<void> {
    const { homes } = this.parts
    const request = { home, afterId: this.seen.get(home) ?? 0, pinnedOnly: true }
    const { documents } = await homes.listHomeDocuments(request, await this.call())
    this.seen.set(home, documents.at(-1)?.id ?? 0)
    const docIds = await local.listStored(documents.map(({ docId }) => docId))
    if (docIds.length === 0) return
    const stored = { home, startId: '', docIds, pin: Pin.UNSPECIFIED }
    await homes.pinHomeDocuments(stored, await this.call())
  }

  private report(docId: string, error: unknown): void {
    const { log } = this.parts
    if (!UNUSABLE.has(toAppError(error)?.reason ?? ''))
      return log.warn({ err: error, docId }, 'a document was not replicated, retrying')
    if (!this.reported.has(docId))
      log.error({ err: error, docId }, 'a document on this disk cannot be replicated')
    this.reported.add(docId)
  }

  private async adoptNow(docId: string, local: LocalDocuments): Promise<void> {
    await local.adopt(docId)
    await this.pin(docId, Pin.UNSPECIFIED)
  }

  private inTurn(run: (local: LocalDocuments) => Promise<void>): Promise<void> {
    const running = this.latest.then(() => {
      const { replicator } = this.documents.shared
      if (!replicator) throw notReplicated()
      return run(replicator.local)
    })
    this.latest = running.catch(() => {})
    return running
  }

  /** False when the document is not assigned to this instance. */
  private async pin(docId: string, pin: Pin): Promise<boolean> {
    const { instance: home, startId, homes } = this.parts
    const request = { home, startId, docIds: [docId], pin }
    const { docIds } = await homes.pinHomeDocuments(request, await this.call())
    return docIds.length > 0
  }

  private async call() {
    const token = await this.parts.systemTokens.token()
    return { token, deadline: Date.now() + ANSWER_MS, signal: this.ended.signal }
  }
}
