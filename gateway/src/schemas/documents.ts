import type { GetDocumentResponse } from '@sheaf/protos/sheaf/directory/v1/documents'
import { z } from 'zod'
import { org, shownRole, toOrg, toShownRole } from './orgs'
import { nameText, text } from './text'
import { documentSummary, toSummary } from './workspaces'

/** A document described by itself. */
export const document = documentSummary
  .extend({
    workspace: z.object({
      id: z.int(),
      name: z.string(),
      access: shownRole.nullable(),
      org,
    }),
  })
  .meta({ id: 'Document' })

/** Fields of a document to create or change. */
export const documentFields = z.strictObject({
  name: nameText.nullish(),
  isPinned: z.boolean().optional(),
  urlId: text.nullish().meta({ description: 'Short id for addresses; null clears it' }),
})

/** A number, or a text of digits. */
const integer = z.union([
  z.int(),
  z
    .string()
    .regex(/^\d{1,15}$/, 'cannot be understood as an integer')
    .transform(Number),
])

/** Target of a move. */
export const documentMove = z.object({
  workspace: integer.meta({ type: 'integer', description: 'Workspace that it goes into' }),
})

/** Parameters of a copy. */
export const documentCopy = z.object({
  workspaceId: integer.meta({ type: 'integer', description: 'Workspace that the copy goes into' }),
  documentName: nameText
    .nullish()
    .meta({ description: 'Name of the copy; made from that of the document when absent' }),
  asTemplate: z
    .boolean()
    .nullish()
    .meta({ description: 'True to copy the structure alone, without rows and attachments' }),
})

/** Converts a document to JSON. Throws when directory omits a part, which would be a bug. */
export function toDocument(answer: GetDocumentResponse): z.output<typeof document> {
  const { document: summary, workspace, org: ofOrg } = answer
  if (!summary || !workspace || !ofOrg) throw new Error('directory described a document in part')
  const { id, name, access } = workspace
  return {
    ...toSummary(summary),
    workspace: { id, name, access: toShownRole(access), org: toOrg(ofOrg) },
  }
}
