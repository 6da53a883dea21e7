import { setTimeout as delay } from 'node:timers/promises'
import type { SystemTokenSource } from '@sheaf/auth/system-token'
import { AppError, toAppError } from '@sheaf/kit/errors'
import { ChannelCache } from '@sheaf/kit/grpc/channel-cache'
import type { Logger } from '@sheaf/kit/logger'
import type { TlsFiles } from '@sheaf/kit/tls'
import {
  Pin,
  type HandedOverDocument,
  type HomesService,
} from '@sheaf/protos/sheaf/directory/v1/homes'
import {
  InstanceServiceClientImpl,
  type InstanceService,
} from '@sheaf/protos/sheaf/document_data/v1/instance'
import type { DocumentStore } from '../../store/documents/document-store'
import type { Replicator } from '../../store/documents/replicator'
import type { Adoptions } from './adoptions'
import { notReplicated } from './not-replicated'

/** Documents that are not in use and are handed over together: each of them is unavailable meanwhile. */
const GROUP = 20
/** Milliseconds for an answer of directory, and for a document to become ready elsewhere. */
const ASSIGN_MS = 2_000
const PREPARE_MS = 30_000
/** Milliseconds between two attempts to hand over what could not be handed over. */
const RETRY_MS = 1_000
/** Attempts to have a document continued that may not be asked for. */
const ATTEMPTS = 30

/** Dependencies of HandOvers. */
export interface HandOverParts {
  /** Name of this instance, and the random id of its process. */
  readonly instance: string
  readonly startId: string
  readonly homes: Pick<
    HomesService,
    'assignHomeDocument' | 'handOverHomeDocuments' | 'listHomeDocuments'
  >
  readonly systemTokens: Pick<SystemTokenSource, 'token'>
  readonly adoptions: Pick<Adoptions, 'adopt'>
  readonly tls?: TlsFiles
  readonly log: Logger
}

/** What is handed over. */
type HandedOverStore = Pick<DocumentStore, 'openDocuments' | 'shared'>

/** Hands documents of this instance over to others, while it runs. */
export class HandOvers implements AsyncDisposable {
  private readonly channels: ChannelCache<InstanceService>
  private readonly ended = new AbortController()
  private draining: Promise<void> | undefined
  private count = 0

  constructor(
    private readonly documents: HandedOverStore,
    private readonly parts: HandOverParts,
  ) {
    const create = (channel: ConstructorParameters<typeof InstanceServiceClientImpl>[0]) =>
      new InstanceServiceClientImpl(channel)
    this.channels = new ChannelCache<InstanceService>(create, { tls: parts.tls })
  }

  /** Number of documents that were handed over. */
  get handedOver(): number {
    return this.count
  }

  /**
   * Hands a document over to the instance of this name, and resolves when that has it ready. A document that is on the disk
   * of this instance alone is adopted first, with the errors of that.
   * @throws AppError `not_found` when the document is not on this instance or there is no such instance, `unavailable` when
   * that instance is not live
   */
  async move(docId: string, to: string): Promise<void> {
    await this.parts.adoptions.adopt(docId)
    const [moved] = await this.handOver([docId], to, new Set([docId]))
    if (moved) return
    throw new AppError(
      'unavailable',
      'DOCUMENT_NOT_MOVED',
      `the document stays on ${this.parts.instance}: it is not assigned to it, or ${to} is not live`,
    )
  }

  /**
   * Hands documents over: those that are not in use first, some at a time, and then each of the others. Returns how many
   * live elsewhere now.
   * @param to name of the instance that gets them; empty to spread them over all others
   */
  async handOverEach(docIds: readonly string[], to: string): Promise<number> {
    const inUse = new Set(this.documents.openDocuments)
    const resting = docIds.filter((docId) => !inUse.has(docId))
    // Those that are in use wait for the others, so that each of them is held up only for as long as it takes.
    const used = docIds.filter((docId) => inUse.has(docId))
    let count = 0
    for (const group of [...groupsOf(resting, GROUP), ...groupsOf(used, 1)])
      if (!this.ended.signal.aborted) count += (await this.handOver(group, to, inUse)).length
    return count
  }

  /** Has a document made ready on the instance that has it now, which publishes what this one has not. Rejects as that does. */
  async continueElsewhere(docId: string): Promise<void> {
    const { replicator } = this.documents.shared
    if (!replicator) throw notReplicated()
    await this.continueWhereItIs(docId, replicator)
  }

  /** Begins to hand over all documents, unless that has begun: those that are not in use first. */
  drain(): void {
    this.draining ??= this.drainAll()
      .catch((error: unknown) => {
        if (!this.ended.signal.aborted)
          this.parts.log.warn({ err: error }, 'failed to hand documents over, retrying')
      })
      .then(() => delay(RETRY_MS, undefined, { signal: this.ended.signal, ref: false }))
      .catch(() => {})
      .finally(() => (this.draining = undefined))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort()
    await this.draining
    await this.channels[Symbol.asyncDispose]()
  }

  private async drainAll(): Promise<void> {
    const { instance, homes, log } = this.parts
    const before = this.count
    for (let afterId = 0; !this.ended.signal.aborted;) {
      const { documents } = await homes.listHomeDocuments(
        { home: instance, afterId, pinnedOnly: false },
        await this.call(ASSIGN_MS),
      )
      const last = documents.at(-1)
      if (!last) break
      const movable: string[] = []
      for (const { docId, pin } of documents)
        if (pin === Pin.UNSPECIFIED || (await this.tryAdopt(docId))) movable.push(docId)
      await this.handOverEach(movable, '')
      afterId = last.id
    }
    const documents = this.count - before
    if (documents > 0) log.info({ documents }, 'documents were handed over')
  }

  /** False for a document that cannot be adopted: it stays, and in use, so the instance is not empty. */
  private async tryAdopt(docId: string): Promise<boolean> {
    const { adoptions, log } = this.parts
    if (this.ended.signal.aborted) return false
    try {
      await adoptions.adopt(docId)
      return true
    } catch (error) {
      log.warn({ err: error, docId }, 'a document cannot be handed over: it was not replicated')
      return false
    }
  }

  /** @param inUse documents that are to be made ready where they are afterwards */
  private async handOver(
    docIds: readonly string[],
    to: string,
    inUse: ReadonlySet<string>,
  ): Promise<HandedOverDocument[]> {
    const { instance: home, startId, homes } = this.parts
    const { replicator } = this.documents.shared
    if (!replicator) throw notReplicated()
    const continued = new Set(docIds.filter((docId) => inUse.has(docId)))
    try {
      const { documents } = await replicator.handOver(docIds, async () => {
        // Nothing is written any more.
        for (const docId of await replicator.listUnfinished(docIds)) continued.add(docId)
        const request = { home, startId, docIds: [...docIds], to }
        return homes.handOverHomeDocuments(request, await this.call(ASSIGN_MS))
      })
      this.count += documents.length
      return documents
    } finally {
      // Also when it is not known where they are now.
      await Promise.all([...continued].map((docId) => this.continueDocument(docId, replicator)))
    }
  }

  /**
   * Has a document made ready on the instance that has it now, which may be this one. That spares its next call the wait; and
   * what is not published or computed would otherwise wait for such a call.
   */
  private async continueDocument(docId: string, replicator: Replicator): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS && !this.ended.signal.aborted; attempt++) {
      try {
        return await this.continueWhereItIs(docId, replicator)
      } catch (error) {
        const code = toAppError(error)?.code
        if (code === 'not_found' || code === 'precondition') return
        this.parts.log.warn(
          { err: error, docId },
          'a document was not prepared where it is now, retrying',
        )
        await delay(RETRY_MS, undefined, { signal: this.ended.signal, ref: false }).catch(() => {})
      }
    }
  }

  private async continueWhereItIs(docId: string, replicator: Replicator): Promise<void> {
    const { instance, homes } = this.parts
    const known = await homes.assignHomeDocument({ docId }, await this.call(ASSIGN_MS))
    if (known.home === instance) return replicator.resume(docId)
    const next = this.channels.at(known.homeAddress)
    await next.prepareDocument({ docId }, await this.call(PREPARE_MS))
  }

  private async call(ms: number) {
    const token = await this.parts.systemTokens.token()
    return { token, deadline: Date.now() + ms, signal: this.ended.signal }
  }
}

function* groupsOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
