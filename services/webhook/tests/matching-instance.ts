import { randomUUID } from 'node:crypto'
import { openWith } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { ChangeBatch } from '@sheaf/protos/sheaf/events/v1/changes'
import { eventually } from '@sheaf/testkit/eventually'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { headers, type NatsConnection } from '@nats-io/transport-node'
import type { Selectable } from 'kysely'
import { startMatching } from '../src/changes/matching'
import { openContext, type Context } from '../src/context'
import { readConsumerName } from '../src/db/progress'
import type { EventKind, WebhookSchema } from '../src/db/schema'
import { insertWebhooks } from '../src/db/webhooks'
import { columnRefs, TABLE, type FakeDocument, type FakeDocuments } from './fake-documents'
import { webhookConfig } from './webhook-config'

const STREAM = 'SHEAF_CHANGES'

/** How an instance differs from others. */
export interface InstanceOptions {
  readonly natsUrl?: string
  readonly queueEvents?: number
  readonly queueBytes?: number
  /** False when NATS cannot be waited for. */
  readonly waits?: boolean
}

/** The part of a webhook service that matches, without what sends. */
export interface MatchingInstance extends AsyncDisposable {
  readonly ctx: Context
  /** Whether NATS is within reach, as the service has heard. */
  readonly isConnected: () => boolean
  /** Times that senders were told of something. */
  readonly sent: () => number
}

/** Starts one; resolves when it hears of changes. */
export function startInstance(
  databaseUrl: string,
  fake: FakeDocuments,
  { waits = true, ...more }: InstanceOptions = {},
): Promise<MatchingInstance> {
  return openWith(async (closer) => {
    const config = { ...webhookConfig(databaseUrl), ...more }
    const ctx = await openContext(config, closer, {
      documentCalls: fake.documentCalls,
      onUnavailable: () => {},
    })
    let isConnected = false
    let sent = 0
    ctx.notifier.deliver = () => void sent++
    const { natsUrl } = config
    await startMatching(ctx, closer, {
      natsUrl,
      onConnected: (connected) => (isConnected = connected),
    })
    if (waits) {
      const name = await readConsumerName(ctx.db)
      const nats = await connectNats({ url: natsUrl, name: 'test', log: createLogger('test') })
      const manager = await jetstreamManager(nats)
      await eventually(async () => {
        const { num_waiting: waiting } = await manager.consumers.info(STREAM, name)
        return waiting > 0
      })
      await nats.close()
    }
    return {
      ctx,
      isConnected: () => isConnected,
      sent: () => sent,
      [Symbol.asyncDispose]: () => closer.close(),
    }
  })
}

/** Makes the stream unless it is there, as document-data does. */
export async function ensureStream(nats: NatsConnection): Promise<void> {
  const { streams } = await jetstreamManager(nats)
  await streams
    .info(STREAM)
    .catch(() => streams.add({ name: STREAM, subjects: ['sheaf.changes.*'] }))
}

/** Publishes entries of a document's log, as document-data does. */
export async function publish(
  nats: NatsConnection,
  { id, epoch, entries }: FakeDocument,
  ...seqs: number[]
): Promise<void> {
  const changes = seqs.flatMap((seq) => entries[seq - 1]?.sent ?? [])
  const traced = headers()
  traced.set('traceparent', changes[0]?.traceparent ?? '')
  const batch = ChangeBatch.encode({ changes, epoch }).finish()
  await jetstream(nats).publish(`sheaf.changes.${id}`, batch, {
    msgID: randomUUID(),
    headers: traced,
  })
}

/** What a webhook of a test asks for. */
export interface WebhookForm {
  readonly kinds?: EventKind[]
  readonly isReady?: boolean
  readonly watched?: (keyof typeof columnRefs)[]
  readonly enabled?: boolean
  /** Entry as of which its table and columns were looked up; the latest unless given. */
  readonly seq?: number
}

/** Makes a webhook as WebhooksService does, without waking anybody; answers its id. */
export async function createWebhook(
  { db }: Context,
  { id: docId, latestSeq }: FakeDocument,
  form: WebhookForm = {},
): Promise<string> {
  const { kinds = ['add', 'update'], isReady = false, watched = [] } = form
  const { enabled = true, seq = latestSeq } = form
  const row = {
    id: randomUUID(),
    unsubscribe_key: randomUUID(),
    url: 'https://receiver.example/',
    event_types: kinds,
    table_ref: TABLE,
    ready_ref: isReady ? columnRefs.Ready : null,
    watched_refs: watched.map((name) => columnRefs[name]),
    enabled,
    secret: 'whsec_',
  }
  await insertWebhooks(db, { docId, seq }, [row])
  return row.id
}

/** Whether the log of a document was read since its first webhook was made. */
export async function wasRead({ db }: Context, { id }: FakeDocument): Promise<boolean> {
  const known = db.selectFrom('documents').select('doc_id').where('doc_id', '=', id)
  return (await known.whereRef('checked_at', '>', 'created_at').executeTakeFirst()) !== undefined
}

/** What waits for a webhook, as `<seq> <kind> <row>`. */
export async function listEvents({ db }: Context, webhookId: string): Promise<string[]> {
  const events = await db
    .selectFrom('events')
    .select(['seq', 'kind', 'body'])
    .where('webhook_id', '=', webhookId)
    .orderBy('seq')
    .orderBy('row_number')
    .execute()
  return events.map(({ seq, kind, body }) => `${seq} ${kind} ${body}`)
}

/** The row of a webhook. */
export function readWebhook(
  { db }: Context,
  id: string,
): Promise<Selectable<WebhookSchema['webhooks']>> {
  return db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** Up to where a document's log is handled. */
export async function readHandled({ db }: Context, { id }: FakeDocument): Promise<number> {
  const row = await db
    .selectFrom('documents')
    .select('handled_seq')
    .where('doc_id', '=', id)
    .executeTakeFirst()
  return row?.handled_seq ?? -1
}
