import type { GetDocumentResponse } from '@sheaf/protos/sheaf/directory/v1/documents'
import { z } from 'zod'
import { documentPreferences } from './document-preferences'
import { org, shownRole, toOrg, toShownRole } from './orgs'
import { showRemoved } from './parameters'
import { nameText, text } from './text'
import { documentSummary, toSummary } from './workspaces'

/** A document with its workspace. */
export const document = documentSummary
  .extend({
    workspace: z
      .object({
        id: z.int().describe('Integer id of the workspace'),
        name: z.string().describe('Name of the workspace'),
        access: shownRole.nullable().describe("The caller's role on the workspace"),
        org,
      })
      .describe('Workspace that contains the document'),
    preferences: documentPreferences
      .optional()
      .describe("The caller's preferences in the document. Present with `expand=preferences`"),
  })
  .meta({ id: 'Document', description: 'Document with its workspace and site' })

/** Query parameters of the description of a document. */
export const documentQuery = showRemoved.extend({
  expand: z
    .enum(['preferences'])
    .optional()
    .meta({ description: "`preferences` includes the caller's preferences, for signed-in users" }),
})

/** Fields of a document to create or update. */
export const documentFields = z.strictObject({
  name: nameText.nullish().describe('Name of the document'),
  isPinned: z.boolean().optional().describe('Whether the document is pinned'),
  urlId: text
    .nullish()
    .meta({ description: 'Short id for URLs, unique in the site; null removes it' }),
})

/** A number or a string of digits. */
const integer = z.union([
  z.int(),
  z
    .string()
    .regex(/^\d{1,15}$/, 'cannot be understood as an integer')
    .transform(Number),
])

/** Body of moving a document. */
export const documentMove = z.object({
  workspace: integer.meta({ type: 'integer', description: 'Integer id of the target workspace' }),
})

/** Body of copying a document. */
export const documentCopy = z.object({
  workspaceId: integer.meta({ type: 'integer', description: 'Integer id of the target workspace' }),
  documentName: nameText
    .nullish()
    .meta({ description: 'Name of the copy; default: name of the document with ` (copy)`' }),
  asTemplate: z
    .boolean()
    .nullish()
    .meta({ description: 'Copy the structure only, without records and attachments' }),
})

/** Converts a document to its JSON. Throws if directory omitted a part, which is a bug. */
export function toDocument(answer: GetDocumentResponse): z.output<typeof document> {
  const { document: summary, workspace, org: ofOrg } = answer
  if (!summary || !workspace || !ofOrg) throw new Error('directory described a document in part')
  const { id, name, access } = workspace
  return {
    ...toSummary(summary),
    workspace: { id, name, access: toShownRole(access), org: toOrg(ofOrg) },
  }
}
