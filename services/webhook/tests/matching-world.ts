import { Closer } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { createTestDatabase, testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import type { NatsConnection } from '@nats-io/transport-node'
import { FakeDocuments, type FakeDocument } from './fake-documents'
import {
  createWebhook,
  ensureStream,
  publish,
  readHandled,
  startInstance,
  wasRead,
  type MatchingInstance,
  type WebhookForm,
} from './matching-instance'

/** An instance that matches, with a database of its own, and the documents and NATS that it hears of. */
export interface MatchingWorld extends AsyncDisposable {
  readonly url: string
  readonly nats: NatsConnection
  readonly fake: FakeDocuments
  readonly instance: MatchingInstance
  /** A document with a webhook that the instance knows. */
  createWatched(form?: WebhookForm): Promise<[FakeDocument, string]>
  /** Publishes entries of a document's log. */
  send(doc: FakeDocument, ...seqs: number[]): Promise<void>
  /** Resolves when the log was read, and is handled up to `seq`, its end unless given. */
  untilHandled(doc: FakeDocument, seq?: number): Promise<unknown>
}

/** Starts one; resolves when the instance hears of changes. */
export async function startMatchingWorld(): Promise<MatchingWorld> {
  const closer = new Closer()
  const { url } = closer.use(await createTestDatabase())
  const log = createLogger('test')
  const nats = await connectNats({ url: testEngines().natsUrl, name: 'test', log })
  closer.defer(() => nats.close())
  await ensureStream(nats)
  const fake = closer.use(await FakeDocuments.start())
  const instance = closer.use(await startInstance(url, fake))
  return {
    ...{ url, nats, fake, instance },
    async createWatched(form) {
      const doc = fake.create()
      const webhook = await createWebhook(instance.ctx, doc, form)
      instance.ctx.notifier.match(doc.id)
      return [doc, webhook]
    },
    send: (doc, ...seqs) => publish(nats, doc, ...seqs),
    untilHandled: (doc, seq = doc.latestSeq) =>
      eventually(
        async () =>
          (await readHandled(instance.ctx, doc)) === seq && (await wasRead(instance.ctx, doc)),
      ),
    [Symbol.asyncDispose]: () => closer.close(),
  }
}
