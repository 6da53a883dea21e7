import type {
  DocumentSummary,
  Workspace as WireWorkspace,
} from '@sheaf/protos/sheaf/directory/v1/workspaces'
import type { Org as WireOrg } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { z } from 'zod'
import { org, shownRole, toOrg, toShownRole } from './orgs'
import { nameText } from './text'

const time = z.string().meta({ format: 'date-time' })
const removedTime = time
  .optional()
  .meta({ description: 'Time of the move to the trash; absent if it is not in the trash' })

/** A document in the listing of its workspace. */
export const documentSummary = z
  .object({
    id: z.int().describe('Integer id of the document'),
    uuid: z.string().meta({ description: 'UUID of the document', format: 'uuid' }),
    name: z.string().describe('Name of the document'),
    access: shownRole.nullable().meta({ description: "The caller's role" }),
    isPinned: z.boolean().describe('Whether the document is pinned'),
    urlId: z.string().nullable().describe('Short id for URLs; null for none'),
    createdAt: time.describe('Time of creation'),
    updatedAt: time.describe(
      'Time of the last change of the document or its contents; changes of contents appear within some seconds',
    ),
    updatedBy: z.string().optional().meta({
      description:
        'Name of the user who made that change; requires edit access, and is absent if not known',
    }),
    removedAt: removedTime,
  })
  .meta({ id: 'DocumentSummary', description: 'Document in a listing' })

const workspaceFields = {
  id: z.int().describe('Integer id of the workspace'),
  name: z.string().describe('Name of the workspace'),
  access: shownRole.nullable().meta({ description: "The caller's role" }),
  createdAt: time.describe('Time of creation'),
  updatedAt: time.describe('Time of the last change'),
  removedAt: removedTime,
  docs: z.array(documentSummary).describe('Documents that the caller can access'),
}

/** A workspace in the listing of its org. */
export const listedWorkspace = z
  .object({ ...workspaceFields, orgDomain: z.string().describe('Subdomain of the site') })
  .meta({ id: 'ListedWorkspace', description: 'Workspace in the listing of its site' })

/** A workspace with its org. */
export const workspace = z
  .object({ ...workspaceFields, org })
  .meta({ id: 'Workspace', description: 'Workspace with its site' })

/** Body of creating or renaming a workspace. */
export const workspaceFieldsBody = z.strictObject({
  name: nameText.nullish().describe('Name of the workspace'),
})

/** Converts a document in a listing to its JSON. */
export function toSummary(document: DocumentSummary): z.output<typeof documentSummary> {
  const { id, docId, name, access, isPinned, urlId, createdAt } = document
  const { updatedAt, updatedBy, removedAt } = document
  return {
    id,
    uuid: docId,
    name,
    access: toShownRole(access),
    isPinned,
    urlId: urlId ?? null,
    createdAt,
    updatedAt,
    ...(updatedBy !== undefined && { updatedBy }),
    ...(removedAt !== undefined && { removedAt }),
  }
}

function toFields(wire: WireWorkspace) {
  const { id, name, access, createdAt, updatedAt, removedAt, docs } = wire
  const times = { createdAt, updatedAt, ...(removedAt !== undefined && { removedAt }) }
  const shown = { id, name, access: toShownRole(access), ...times }
  return { ...shown, docs: docs.map(toSummary) }
}

/** Converts a workspace in a listing to its JSON. */
export function toListedWorkspace(wire: WireWorkspace): z.output<typeof listedWorkspace> {
  return { ...toFields(wire), orgDomain: wire.orgDomain }
}

/** Converts a workspace with its org to its JSON. */
export function toWorkspace(wire: WireWorkspace, ofOrg: WireOrg): z.output<typeof workspace> {
  return { ...toFields(wire), org: toOrg(ofOrg) }
}
