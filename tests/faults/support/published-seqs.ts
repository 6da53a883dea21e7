import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { ChangeBatch, ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { eventually } from '@sheaf/testkit/eventually'
import type { NatsConnection } from '@nats-io/transport-node'

/** A message of the stream, with what it says of itself. */
export interface PublishedMessage {
  /** `Nats-Msg-Id`. */
  readonly id: string
  readonly docId: string
  readonly epoch: string
  readonly changes: readonly { readonly seq: number; readonly bytes: Uint8Array }[]
}

/** Positions of the changes of a document that are published, in order, without redeliveries; see `readPublished`. */
export async function readPublishedSeqs(
  natsUrl: string,
  docId: string,
  count: number,
): Promise<number[]> {
  return seqsOf(await readPublished(natsUrl, docId, count))
}

/** Waits until a subscriber has received this many changes of a document; returns their messages, in order. */
export async function readPublished(
  natsUrl: string,
  docId: string,
  count: number,
): Promise<PublishedMessage[]> {
  const log = createLogger('test')
  const nats = await connectNats({ url: natsUrl, name: 'test', log })
  try {
    return await eventually(
      async () => {
        const messages = await readAll(nats, docId)
        const { length } = seqsOf(messages)
        if (length < count) throw new Error(`${length} of ${count} changes are published`)
        return messages
      },
      { everyMs: 100 },
    )
  } finally {
    await nats.close()
  }
}

function seqsOf(messages: readonly PublishedMessage[]): number[] {
  return [...new Set(messages.flatMap(({ changes }) => changes.map(({ seq }) => seq)))]
}

async function readAll(nats: NatsConnection, docId: string): Promise<PublishedMessage[]> {
  const subject = `sheaf.changes.${docId}`
  const manager = await jetstreamManager(nats)
  const info = await manager.streams.info('SHEAF_CHANGES', { subjects_filter: subject })
  let left = info.state.subjects?.[subject] ?? 0
  const messages: PublishedMessage[] = []
  if (left === 0) return []
  const options = { filter_subjects: [subject], deliver_policy: DeliverPolicy.All }
  const consumer = await jetstream(nats).consumers.get('SHEAF_CHANGES', options)
  for await (const message of await consumer.consume()) {
    const { changes, epoch } = ChangeBatch.decode(message.data)
    messages.push({
      id: message.headers?.get('Nats-Msg-Id') ?? '',
      docId,
      epoch,
      changes: changes.map((change) => ({
        seq: change.seq,
        bytes: ChangeEvent.encode(change).finish(),
      })),
    })
    if (--left === 0) break
  }
  return messages
}
