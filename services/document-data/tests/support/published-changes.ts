import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { ChangeBatch, type ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'

/** What a document's subject of SHEAF_CHANGES holds. */
export interface PublishedChanges {
  readonly events: ChangeEvent[]
  readonly messages: number
  /** Epochs that the messages tell, each once. */
  readonly epochs: ReadonlySet<string>
  /** The id of each message, and the seqs that it holds. */
  readonly ids: readonly { readonly id: string | undefined; readonly seqs: readonly number[] }[]
}

/** Reads all that was published of a document, in the order of the stream. */
export async function readPublished(
  nats: NatsConnection,
  docId: string,
): Promise<PublishedChanges> {
  const subject = `sheaf.changes.${docId}`
  const manager = await jetstreamManager(nats)
  const info = await manager.streams
    .info('SHEAF_CHANGES', { subjects_filter: subject })
    .catch(() => undefined)
  const messages = info?.state.subjects?.[subject] ?? 0
  const events: ChangeEvent[] = []
  const epochs = new Set<string>()
  const ids: PublishedChanges['ids'][number][] = []
  if (messages === 0) return { events, messages, epochs, ids }
  const consumer = await jetstream(nats).consumers.get('SHEAF_CHANGES', {
    filter_subjects: [subject],
    deliver_policy: DeliverPolicy.All,
  })
  let left = messages
  for await (const message of await consumer.consume()) {
    const { changes, epoch } = ChangeBatch.decode(message.data)
    events.push(...changes)
    epochs.add(epoch)
    ids.push({ id: message.headers?.get('Nats-Msg-Id'), seqs: changes.map(({ seq }) => seq) })
    if (--left === 0) break
  }
  return { events, messages, epochs, ids }
}
