import { performance, type EventLoopUtilization } from 'node:perf_hooks'
import type { SystemTokenSource } from '@sheaf/auth/system-token'
import type { Logger } from '@sheaf/kit/logger'
import { Pin, type HomeDocument, type HomesService } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { DocumentStore } from '../../store/documents/document-store'
import type { HomeLease } from '../home-lease'
import { pickBusy, pickLeastUsed } from './balanced-documents'
import type { HandOvers } from './hand-overs'

/** Milliseconds for an answer of directory. */
const ANSWER_MS = 5_000

/** Dependencies of HomeBalance. */
export interface HomeBalanceParts {
  /** Name of this instance, and the random id of its process. */
  readonly instance: string
  readonly startId: string
  readonly lease: Pick<HomeLease, 'isHeld'>
  readonly homes: Pick<HomesService, 'balanceHome' | 'listHomeDocuments'>
  readonly systemTokens: Pick<SystemTokenSource, 'token'>
  readonly log: Logger
  /** Milliseconds between two looks; 0 for never. */
  readonly everyMs: number
}

/** Hands over what this instance has above the mean of all instances, such as after one was added. */
export class HomeBalance implements AsyncDisposable {
  private timer: NodeJS.Timeout | undefined
  private running: Promise<void> | undefined
  private isClosed = false
  private busy: EventLoopUtilization = performance.eventLoopUtilization()

  constructor(
    private readonly documents: Pick<DocumentStore, 'openDocuments' | 'shared'>,
    private readonly handOvers: Pick<HandOvers, 'handOverEach'>,
    private readonly parts: HomeBalanceParts,
  ) {
    this.wait()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer)
    await this.running
  }

  private wait(): void {
    const { everyMs, log } = this.parts
    if (everyMs === 0 || this.isClosed) return
    const look = () => {
      this.running = this.look()
        .catch((error: unknown) =>
          log.debug({ err: error }, 'failed to balance documents, retrying'),
        )
        .finally(() => this.wait())
    }
    this.timer = setTimeout(look, everyMs).unref()
  }

  private async look(): Promise<void> {
    const { instance: home, startId, lease, homes, log } = this.parts
    const { replicator } = this.documents.shared
    if (!replicator || !lease.isHeld()) return
    const calls = replicator.takeCalls()
    const request = { home, startId, load: this.takeLoad() }
    const { to, documents: count, loadShare } = await homes.balanceHome(request, await this.call())
    if (to === '') return
    const docIds = count > 0 ? await this.listLeastUsed(count, calls) : pickBusy(loadShare, calls)
    const documents = await this.handOvers.handOverEach(docIds, to)
    if (documents > 0)
      log.info({ documents, home: to }, 'documents were handed over to balance instances')
  }

  /** Share of the time since the last call in which the event loop was busy. */
  private takeLoad(): number {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.busy)
    this.busy = now
    return Math.min(1, Math.max(0, utilization || 0))
  }

  private async listLeastUsed(
    count: number,
    calls: ReadonlyMap<string, number>,
  ): Promise<string[]> {
    const request = { home: this.parts.instance, afterId: 0, pinnedOnly: false }
    const { documents } = await this.parts.homes.listHomeDocuments(request, await this.call())
    const open = new Set(this.documents.openDocuments)
    // One that is not published is being made.
    const isMovable = ({ published, pin }: HomeDocument) => published && pin === Pin.UNSPECIFIED
    const docIds = documents.filter(isMovable).map(({ docId }) => docId)
    return pickLeastUsed(count, docIds, (docId) => (open.has(docId) ? (calls.get(docId) ?? 0) : -1))
  }

  private async call() {
    return { token: await this.parts.systemTokens.token(), deadline: Date.now() + ANSWER_MS }
  }
}
