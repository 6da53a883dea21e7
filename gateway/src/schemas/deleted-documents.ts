import type { DeletedDocument } from '@sheaf/protos/sheaf/directory/v1/documents'
import { z } from 'zod'
import { moment } from './moment'
import { limitUpTo } from './parameters'
import { nameText, text } from './text'

const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 100

/** Selection of deleted documents. */
export const deletedQuery = z.object({
  limit: limitUpTo(MAX_LIMIT, {
    byDefault: DEFAULT_LIMIT,
    description: 'Maximum number of documents',
  }),
  cursor: text.optional().meta({ description: '`nextCursor` of the previous page' }),
})

const time = z.string().meta({ format: 'date-time' })

const deletedDocument = z
  .object({
    uuid: z.string().meta({ description: 'UUID that the document had', format: 'uuid' }),
    name: z.string().describe('Name of the document'),
    workspace: z
      .object({
        id: z.int().describe('Integer id of the workspace, which may be deleted as well'),
        name: z.string().describe('Name of the workspace'),
      })
      .describe('Workspace that contained it'),
    deletedAt: time.describe('Time of the deletion'),
    keptUntil: time.describe('Time until which it can be restored'),
    deletedBy: z
      .object({
        id: z.int().describe('Integer id of the user'),
        name: z.string().describe('Name of the user'),
        email: z.string().describe('Email address of the user'),
      })
      .nullable()
      .describe('Who deleted it; null if the trash was emptied, or the user is deleted'),
  })
  .meta({ id: 'DeletedDocument', description: 'Document that was deleted permanently' })

/** A page of deleted documents. */
export const deletedDocuments = z.object({
  documents: z.array(deletedDocument).describe('The documents, latest deletion first'),
  nextCursor: z.string().nullable().describe('`cursor` of the next page; null on the last page'),
})

/** Body of restoring a deleted document. */
export const undeletion = z.strictObject({
  document: text.meta({ description: 'UUID that the document had', format: 'uuid' }),
  asOf: moment.optional().describe('The moment of the document to restore; default: its last one'),
  name: nameText.nullish().describe('Name of the new document; default: that of the deleted one'),
})

/** Converts a deleted document to its JSON. */
export function toDeleted(wire: DeletedDocument): z.output<typeof deletedDocument> {
  const { docId, name, workspaceId, workspaceName, deletedAt, keptUntil, deletedBy } = wire
  return {
    uuid: docId,
    name,
    workspace: { id: workspaceId, name: workspaceName },
    deletedAt,
    keptUntil,
    deletedBy:
      deletedBy === undefined
        ? null
        : { id: deletedBy, name: wire.deletedByName, email: wire.deletedByEmail },
  }
}
