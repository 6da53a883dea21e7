import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { ChangeBatch } from '@sheaf/protos/sheaf/events/v1/changes'
import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { eventually } from '@sheaf/testkit/eventually'
import type { NatsConnection } from '@nats-io/transport-node'

/**
 * Waits until a subscriber has received this many changes of a document; returns their positions, in order,
 * without redeliveries.
 */
export async function readPublishedSeqs(
  natsUrl: string,
  docId: string,
  count: number,
): Promise<number[]> {
  const log = createLogger('test')
  const nats = await connectNats({ url: natsUrl, name: 'test', log })
  try {
    return await eventually(
      async () => {
        const seqs = await readAll(nats, `sheaf.changes.${docId}`)
        if (seqs.length < count) throw new Error(`${seqs.length} of ${count} changes are published`)
        return seqs
      },
      { timeoutMs: 30_000, everyMs: 100 },
    )
  } finally {
    await nats.close()
  }
}

async function readAll(nats: NatsConnection, subject: string): Promise<number[]> {
  const manager = await jetstreamManager(nats)
  const info = await manager.streams.info('SHEAF_CHANGES', { subjects_filter: subject })
  let left = info.state.subjects?.[subject] ?? 0
  const seqs = new Set<number>()
  if (left === 0) return []
  const options = { filter_subjects: [subject], deliver_policy: DeliverPolicy.All }
  const consumer = await jetstream(nats).consumers.get('SHEAF_CHANGES', options)
  for await (const message of await consumer.consume()) {
    for (const { seq } of ChangeBatch.decode(message.data).changes) seqs.add(seq)
    if (--left === 0) break
  }
  return [...seqs]
}
