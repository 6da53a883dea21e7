import { encodeBytes } from '@sheaf/protos/bytes'
import { DirectoryEvent, DocumentEventKind } from '@sheaf/protos/sheaf/events/v1/directory'
import type { EventEntry } from '../db/outbox'

/** An event as a message of NATS. */
export interface EventMessage {
  /** Id by which NATS recognizes a repeated message. */
  readonly id: string
  readonly subject: string
  readonly data: Uint8Array
}

/** Subjects of all events. */
export const SUBJECTS = 'sheaf.directory.>'

/** Converts an entry of the outbox to a message. */
export function createMessage(entry: EventEntry): EventMessage {
  const { id } = entry.payload
  const event = {
    id,
    sequence: entry.id,
    timeMs: entry.createdAt.getTime(),
    event: readEvent(entry),
  }
  return {
    id,
    subject: subjectOf(entry),
    data: encodeBytes(DirectoryEvent, DirectoryEvent.fromPartial(event)),
  }
}

function readEvent(entry: EventEntry): DirectoryEvent['event'] {
  if (entry.kind === 'access_event')
    return { $case: 'access', value: { viewId: 0, ...entry.payload } }
  const { kind, changedFields, ...document } = entry.payload
  const value = {
    ...document,
    kind: DocumentEventKind[kind],
    changedFields: [...changedFields],
  }
  return { $case: 'document', value }
}

function subjectOf(entry: EventEntry): string {
  if (entry.kind === 'document_event') return `sheaf.directory.document.${entry.payload.docId}`
  const { level, docId, resourceId } = entry.payload
  return `sheaf.directory.access.${level}.${docId || resourceId}`
}
