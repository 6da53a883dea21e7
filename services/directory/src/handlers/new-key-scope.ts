import { AppError } from '@sheaf/kit/errors'
import type { KeyCaps } from '@sheaf/auth/key-caps'
import type { KeyScope } from '@sheaf/auth/key-scope'
import type {
  KeyCaps as WireCaps,
  KeyScope as WireScope,
} from '@sheaf/protos/sheaf/directory/v1/keys'
import { MAX_PLACES, namesPlaces } from '../access/key-scope'
import { chooseDocument, readDocumentRef, readOrgRef } from '../access/resolve'
import type { Context } from '../context'
import { findDocuments } from '../db/documents'
import { findOrg } from '../db/orgs'
import { findWorkspace } from '../db/workspaces'
import { shownOrgRole } from './wire'
import { isRowId } from './workspaces'

/**
 * Parses the scope of a new key. Throws `invalid` when it restricts nothing, since that would make a key for
 * everything, when it names too many places, or one that the owner of the key cannot see: such a key would be
 * useless there.
 */
export async function readNewScope(
  ctx: Context,
  userId: number,
  wire: WireScope | undefined,
): Promise<KeyScope | undefined> {
  if (wire === undefined) return undefined
  const { readOnly, orgs, workspaces, documents } = wire
  if (orgs.length + workspaces.length + documents.length > MAX_PLACES)
    throw bad('scope', `must not have more than ${MAX_PLACES} orgs, workspaces and documents`)
  const scope: KeyScope = {
    readOnly,
    orgs: await findEach(orgs, 'orgs', (org) => findOrgId(ctx, userId, org)),
    workspaces: await findEach(workspaces, 'workspaces', (id) => findWorkspaceId(ctx, userId, id)),
    documents: await findEach(documents, 'documents', (doc) => findDocId(ctx, userId, doc)),
    caps: wire.caps && readNewCaps(wire.caps),
  }
  if (!readOnly && !scope.caps && !namesPlaces(scope))
    throw bad('scope', 'must be read-only, have caps, or name an org, a workspace or a document')
  return scope
}

/** Maximum number of tables in one cap, and of characters in the id of one: they are part of every token of the key. */
const MAX_TABLES = 20
const MAX_TABLE_ID = 100

/** Parses the caps of a new key. Throws `invalid` for caps that restrict nothing or permit nothing. */
function readNewCaps({ rowsPerCall, rowsPerHour, tables, noStructure }: WireCaps): KeyCaps {
  for (const [name, rows] of Object.entries({ rowsPerCall, rowsPerHour }))
    if (rows !== undefined && rows < 1) throw bad(`scope.caps.${name}`, 'must be at least 1')
  if (tables.length > MAX_TABLES)
    throw bad('scope.caps.tables', `must not name more than ${MAX_TABLES} tables`)
  if (tables.some((id) => id === '' || id.length > MAX_TABLE_ID))
    throw bad('scope.caps.tables', 'must be ids of tables')
  const hasTables = tables.length > 0
  if (rowsPerCall === undefined && rowsPerHour === undefined && !hasTables && !noStructure)
    throw bad('scope.caps', 'must have a cap')
  return {
    rowsPerCall,
    rowsPerHour,
    ...(hasTables && { tables: [...new Set(tables)] }),
    ...(noStructure && { noStructure }),
  }
}

const bad = (field: string, problem: string) =>
  new AppError('invalid', 'INVALID_SCOPE', `${field} ${problem}`, { field })

/** Sequentially: there are few, and a request must not occupy all database connections. */
async function findEach<T, Id>(
  given: readonly T[],
  name: string,
  find: (item: T) => Promise<Id | undefined>,
): Promise<Id[]> {
  const found = new Set<Id>()
  for (const [i, item] of given.entries()) {
    const id = await find(item)
    if (id === undefined)
      throw bad(`scope.${name}[${i}]`, 'must name something that the owner of the key can access')
    found.add(id)
  }
  return [...found]
}

async function findOrgId(ctx: Context, userId: number, text: string) {
  const org = await findOrg(ctx.db, userId, readOrgRef(text, ''))
  const isVisible = org && (org.role !== null || shownOrgRole(org) !== undefined)
  return isVisible ? org.id : undefined
}

async function findWorkspaceId(ctx: Context, userId: number, id: number) {
  const workspace = isRowId(id) ? await findWorkspace(ctx.db, userId, id) : undefined
  return workspace && (workspace.role !== null || workspace.isGuest) ? workspace.id : undefined
}

async function findDocId(ctx: Context, userId: number, text: string) {
  const address = { ref: readDocumentRef(text), site: { kind: 'none' } as const }
  const doc = chooseDocument(await findDocuments(ctx.db, userId, address), userId)
  return doc && doc.role !== null ? doc.docId : undefined
}
