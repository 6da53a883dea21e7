import { randomBytes, randomUUID } from 'node:crypto'
import { migrate, openDatabase } from '@sheaf/kit/postgres/database'
import { Closer } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { sql, type Kysely, type Selectable } from 'kysely'
import { migrations } from '../src/db/migrations/index'
import type { EventKind, WebhookSchema } from '../src/db/schema'
import { DeliveryScheduler, type SchedulerLimits } from '../src/delivery/delivery-scheduler'
import { Poster } from '../src/targets/post'

/** What waits, as the matching of events would queue it. */
export interface QueuedEvent {
  readonly row: object
  readonly kind?: EventKind
  readonly traceparent?: string
}

/** Limits of a sender, and of its attempts. */
export interface SenderOptions extends SchedulerLimits {
  readonly timeoutMs?: number
  readonly allowedHosts?: readonly string[]
}

/** A database of the webhook service, and senders that share it. */
export class SendingWorld implements AsyncDisposable {
  private readonly closer = new Closer()
  private readonly senders = new Set<DeliveryScheduler>()
  private seq = 0
  readonly log = createLogger('test')

  private constructor(
    readonly db: Kysely<WebhookSchema>,
    readonly url: string,
  ) {}

  static async open(): Promise<SendingWorld> {
    const database = await createTestDatabase()
    const { url } = database
    const log = createLogger('test')
    const db = openDatabase<WebhookSchema>({ url, schema: 'webhook', log })
    await migrate(db, 'webhook', migrations)
    const world = new SendingWorld(db, url)
    world.closer.use(database)
    world.closer.defer(() => db.destroy())
    return world
  }

  /** Starts a sender, to be disposed of by the test or with the world. */
  startSender(options: SenderOptions = {}): DeliveryScheduler {
    const { timeoutMs = 15_000, allowedHosts = ['127.0.0.1', '127.0.0.2'], ...limits } = options
    const poster = new Poster({ allowedHosts, timeoutMs })
    this.closer.defer(() => poster[Symbol.dispose]())
    const sender = this.closer.use(new DeliveryScheduler(this.db, poster, this.log, limits))
    this.senders.add(sender)
    sender.wake()
    return sender
  }

  /** Makes a webhook in a document of its own. */
  async addWebhook(
    url: string,
    fields: {
      readonly authorization?: string
      readonly docId?: string
      readonly creator?: number
    } = {},
  ): Promise<{ id: string; docId: string; secret: string }> {
    const { docId = randomUUID(), authorization = '', creator } = fields
    const id = randomUUID()
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    const { db } = this
    await db
      .insertInto('documents')
      .values({ doc_id: docId, handled_seq: 1 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const types = {
      event_types: ['add', 'update'] as EventKind[],
      table_ref: 1,
      refs_seq: 0,
      after_seq: 0,
    }
    await db
      .insertInto('webhooks')
      .values({
        id,
        doc_id: docId,
        url,
        authorization,
        creator,
        secret,
        ...types,
        unsubscribe_key: id,
      })
      .execute()
    return { id, docId, secret }
  }

  /** Queues events of one entry of the log, as the matching does. */
  async queue(webhookId: string, events: readonly QueuedEvent[], timeMs = 1): Promise<number> {
    const seq = ++this.seq
    const rows = events.map(({ row, kind = 'add', traceparent = '' }, index) => ({
      webhook_id: webhookId,
      seq,
      row_number: index,
      kind,
      time_ms: timeMs,
      traceparent,
      body: JSON.stringify(row),
    }))
    const bytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
    await this.db.transaction().execute(async (trx) => {
      await sql`update webhooks set waiting_count = waiting_count + ${rows.length},
        waiting_bytes = waiting_bytes + ${bytes}::bigint, due_at = coalesce(due_at, now())
        where id = ${webhookId}`.execute(trx)
      for (let start = 0; start < rows.length; start += 1_000)
        await trx
          .insertInto('events')
          .values(rows.slice(start, start + 1_000))
          .execute()
    })
    for (const sender of this.senders) sender.wake()
    return seq
  }

  /** The webhook as it is. */
  webhook(id: string): Promise<Selectable<WebhookSchema['webhooks']>> {
    return this.db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  }

  /** Its deliveries, oldest first. */
  deliveries(id: string): Promise<Selectable<WebhookSchema['deliveries']>[]> {
    const all = this.db.selectFrom('deliveries').selectAll().where('webhook_id', '=', id)
    return all.orderBy('position').execute()
  }

  /** Lets the wait for the next attempt be over. */
  async makeDue(id: string): Promise<void> {
    await sql`update webhooks set retry_at = now(), due_at = now() where id = ${id}`.execute(
      this.db,
    )
  }

  /** Lets the next attempt wait until `makeDue`, however busy the machine is. */
  async postpone(id: string): Promise<void> {
    await sql`
      update webhooks set retry_at = now() + interval '1 hour', due_at = now() + interval '1 hour'
      where id = ${id}`.execute(this.db)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.closer.close()
  }
}

/** Rows `{"n":0}`, `{"n":1}` and so on. */
export const numbered = (count: number, first = 0): QueuedEvent[] =>
  Array.from({ length: count }, (_, index) => ({ row: { n: first + index } }))

/** The numbers that rows made by `numbered` have. */
export const numbersOf = (rows: readonly Record<string, unknown>[]): number[] =>
  rows.map(({ n }) => n as number)
