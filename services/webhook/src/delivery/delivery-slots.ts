import { FairShare, type Holder } from '@sheaf/kit/fair-share'
import type { DueWebhook, Excluded, Lane, Parties } from '../db/leases'

/**
 * Webhooks that one process delivers for concurrently, in each lane, so that webhooks that fail or take long do
 * not take the slots of the others.
 */
const slotCounts: Readonly<Record<Lane, number>> = { working: 192, slow: 64, failing: 64 }
/** Of the slots of a lane, so many are the share of one network, as of one user and one document. */
const SHARE = 4

/** Limits the webhooks that one process delivers for concurrently, by lane: in total and for each party. */
export class DeliverySlots {
  private readonly lanes: Readonly<Record<Lane, FairShare>>
  private readonly refused = new Set<Lane>()

  constructor(counts = slotCounts) {
    const share = (count: number) => new FairShare(count, Math.ceil(count / SHARE))
    const { working, slow, failing } = counts
    this.lanes = { working: share(working), slow: share(slow), failing: share(failing) }
  }

  /** Begins a new selection of due webhooks. */
  begin(lane: Lane): Selection {
    this.refused.delete(lane)
    return new Selection(this.lanes[lane], () => this.refused.add(lane))
  }

  /** Returns a slot that a selection has taken; true when a due webhook may have found none. */
  release(lane: Lane, parties: Parties): boolean {
    this.lanes[lane].give(holderOf(parties), 1)
    return this.refused.has(lane)
  }
}

/**
 * The selection of due webhooks of one lane. A party whose share was found exhausted gets no more slots from it,
 * so that all others have their turn however many webhooks of that party are due.
 */
export class Selection implements Excluded {
  readonly documents = new Set<string>()
  readonly creators = new Set<number>()
  readonly networks = new Set<string>()
  private isFull = false

  constructor(
    private readonly slots: FairShare,
    private readonly onRefused: () => void,
  ) {}

  /** True while further webhooks may find slots. */
  get mayContinue(): boolean {
    return !this.isFull
  }

  /** Takes slots for as many of these webhooks as possible, and returns them. */
  take(due: readonly DueWebhook[]): DueWebhook[] {
    return due.filter((webhook) => !this.isFull && this.tryTake(webhook))
  }

  private tryTake({ docId, creator, network }: DueWebhook): boolean {
    if (this.documents.has(docId) || this.networks.has(network)) return false
    if (creator !== null && this.creators.has(creator)) return false
    const holder = holderOf({ docId, creator, network })
    const full = this.slots.check(holder, 1)
    if (!full) {
      this.slots.take(holder, 1)
      return true
    }
    this.onRefused()
    if (full === 'whole') this.isFull = true
    else if (full === 'document') this.documents.add(docId)
    else if (full === 'user' && creator !== null) this.creators.add(creator)
    else this.networks.add(network)
    return false
  }
}

function holderOf({ docId, creator, network }: Parties): Holder {
  return { document: docId, user: creator ?? undefined, network }
}
