import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import {
  startReceiver,
  type ReceivedDelivery,
  type WebhookReceiver,
} from '@sheaf/testkit/webhook-receiver'
import { addTable, newDocument } from '../../support/system'
import { addWebhook, deliveriesTo } from '../../support/webhooks'
import { readRowEvents, type RowEvent } from './change-log'

/** Rows of one write. */
const GROUP = 2
/** A request that hangs for longer counts as a broken connection. */
const PATIENCE_MS = 30_000
/** Time within which everything committed must be delivered, once all processes run again. */
const DELIVERY_MS = 90_000
/** Statuses that a client may get while something is down; 0 is a broken connection. */
const EXPECTED = [0, 200, 429, 503, 504]
/** The flaky receiver accepts one delivery in this many, but reports a failure. */
const FLAKY = 15

/** The webhooks of each document under load, and the events that each receives. */
interface Listener {
  readonly fields: Readonly<Record<string, unknown>>
  readonly wants: (event: RowEvent) => boolean
}

const isWritten = ({ kind }: RowEvent) => kind !== 'remove'
const isReady = (event: RowEvent) => isWritten(event) && event.cells.Ready === true

const listeners: Readonly<Record<string, Listener>> = {
  all: { fields: {}, wants: isWritten },
  ready: { fields: { isReadyColumn: 'Ready' }, wants: isReady },
  removed: { fields: { eventTypes: ['remove'] }, wants: ({ kind }) => kind === 'remove' },
  flaky: { fields: { eventTypes: ['update'] }, wants: ({ kind }) => kind === 'update' },
}

/** A document under load; its path at the receiver starts with its path in the API. */
interface LoadedDocument {
  readonly path: string
  /** Changes acknowledged with 200, which must be in the log. */
  readonly acknowledged: string[]
}

/** The identity of an event: no two give a row the same version. */
const keyOf = (id: unknown, version: unknown) => `row ${String(id)} version ${String(version)}`

/** One writer on each of some documents with several webhooks, and a receiver that records every delivery. */
export class WebhookLoad implements AsyncDisposable {
  private readonly surprises: string[] = []
  private writers: Promise<void>[] = []
  private running = true
  private version = 0

  private constructor(
    private readonly rest: Rest,
    private readonly receiver: WebhookReceiver,
    private readonly documents: readonly LoadedDocument[],
  ) {}

  /** Creates documents and webhooks, and starts to write. */
  static async start(rest: Rest, documents = 2): Promise<WebhookLoad> {
    const receiver = await startReceiver({ answer: createAnswer() })
    const loaded: LoadedDocument[] = []
    for (let count = 0; count < documents; count++) {
      const path = await newDocument(rest, `Load ${count}`)
      await addTable(rest, path, 'Pets', { Version: 'Int', Ready: 'Bool' })
      for (const [name, { fields }] of Object.entries(listeners))
        await addWebhook(rest, path, { ...fields, url: `${receiver.url}${path}/${name}` })
      loaded.push({ path, acknowledged: [] })
    }
    const load = new WebhookLoad(rest, receiver, loaded)
    load.writers = loaded.map((doc) => load.repeat((round) => load.change(doc, round)))
    return load
  }

  /** Row changes acknowledged so far. */
  get acknowledged(): number {
    return this.documents.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0)
  }

  /** Deliveries received so far. */
  get delivered(): number {
    return this.receiver.deliveries.length
  }

  /** Stops writing; resolves at the last reply. */
  async stop(): Promise<void> {
    this.running = false
    await Promise.all(this.writers)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.receiver[Symbol.asyncDispose]()
  }

  /**
   * Waits until everything committed has been delivered, and describes every deviation; empty when there is
   * none. Writing must have been stopped.
   */
  async findFaults(): Promise<string[]> {
    const faults = [...this.surprises]
    for (const doc of this.documents) {
      const events = await readRowEvents(this.rest, doc.path, 'Pets')
      const committed = new Set(events.map(({ id, cells }) => keyOf(id, cells.Version)))
      for (const key of doc.acknowledged)
        if (!committed.has(key)) faults.push(`${key} was answered, and is not in the log`)
      for (const name of Object.keys(listeners))
        faults.push(...(await this.findDeliveryFaults(doc, name, events)))
    }
    return faults
  }

  private async findDeliveryFaults(
    doc: LoadedDocument,
    name: string,
    events: readonly RowEvent[],
  ): Promise<string[]> {
    const wants = listeners[name]?.wants ?? (() => false)
    const expected = events.filter(wants).map(({ id, cells }) => keyOf(id, cells.Version))
    const place = `${doc.path}/${name}`
    const { keys, faults } = await eventually(
      () => {
        const read = readKeys(deliveriesTo(this.receiver, place))
        if (read.keys.length >= expected.length) return read
        throw new Error(`${place} has ${read.keys.length} of ${expected.length} events`)
      },
      { timeoutMs: DELIVERY_MS, everyMs: 250 },
    )
    const at = keys.findIndex((key, index) => key !== expected[index])
    if (at >= 0) faults.push(`event ${at} was ${keys[at]} instead of ${expected[at]}`)
    return faults.map((fault) => `${place}: ${fault}`)
  }

  private async repeat(run: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; this.running; round++) await run(round)
  }

  private async change(doc: LoadedDocument, round: number): Promise<void> {
    const Version = ++this.version
    const Ready = round % 2 === 0
    const records = Array.from({ length: GROUP }, () => ({ fields: { Version, Ready } }))
    const added = await this.write<{ records: { id: number }[] }>(doc, 'post', 'records', {
      records,
    })
    if (!added) return
    const ids = added.records.map(({ id }) => id)
    this.acknowledge(doc, ids, Version)
    const next = ++this.version
    const patch = ids.map((id) => ({ id, fields: { Version: next } }))
    // Rows in doubt are not written again.
    if (!(await this.write(doc, 'patch', 'records', { records: patch }))) return
    this.acknowledge(doc, ids, next)
    if (round % 3 === 0) await this.write(doc, 'post', 'records/delete', ids)
  }

  private acknowledge(doc: LoadedDocument, ids: readonly number[], version: number): void {
    doc.acknowledged.push(...ids.map((id) => keyOf(id, version)))
  }

  /** The body of the reply; undefined when the write failed or its outcome is unknown. */
  private async write<T>(
    doc: LoadedDocument,
    method: 'post' | 'patch',
    path: string,
    body: unknown,
  ): Promise<{ body: T }['body'] | undefined> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const place = `${doc.path}/tables/Pets/${path}`
    const reply = await this.rest[method]<T>(place, { body, signal }).catch(() => undefined)
    const status = reply?.status ?? 0
    if (!EXPECTED.includes(status))
      this.surprises.push(`${method} ${place} answered ${status}: ${reply?.text.slice(0, 300)}`)
    return status === 200 ? (reply?.body ?? ({} as T)) : undefined
  }
}

/** Accepts everything, but at the flaky path reports an occasional failure. */
function createAnswer() {
  let count = 0
  return ({ path }: ReceivedDelivery) => ({
    status: path.endsWith('/flaky') && ++count % FLAKY === 1 ? 503 : 200,
  })
}

/** The events of deliveries in order, with duplicates removed by id, as a receiver does. */
function readKeys(deliveries: readonly ReceivedDelivery[]): { keys: string[]; faults: string[] } {
  const bodies = new Map<string, string>()
  const keys: string[] = []
  const faults: string[] = []
  for (const { headers, body } of deliveries) {
    const id = String(headers['webhook-id'])
    const known = bodies.get(id)
    if (known !== undefined && known !== body) faults.push(`${id} came with two bodies`)
    if (known !== undefined) continue
    bodies.set(id, body)
    const rows = JSON.parse(body) as { id: number; Version: number }[]
    keys.push(...rows.map((row) => keyOf(row.id, row.Version)))
  }
  return { keys, faults }
}
