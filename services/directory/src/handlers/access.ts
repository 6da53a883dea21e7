import { keyScopeError } from '@sheaf/auth/key-scope'
import { documentRoleError, requireSystem } from '@sheaf/auth/require-access'
import { roleAtLeast, roleFromWire, type NeededRole, type RoleName } from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  AccessService,
  HoldLeaseRequest,
  ResolveAccessRequest,
  ResolveAccessResponse,
} from '@sheaf/protos/sheaf/directory/v1/access'
import { isWithin } from '../access/key-scope'
import { chooseDocument, readDocumentRef, readSite } from '../access/resolve'
import type { Context } from '../context'
import { resolveAccess, resolveCaller, type AccessRow, type Credential } from '../db/access'
import { holdLease } from '../leases/hold-lease'
import { placeDocument, signDecision } from './access-decision'
import { readCredential, refusalOf } from './credential'
import { documentInTrash, documentNotFound } from './errors'
import { resolveForm } from './form-access'

/** The part of AccessService that lists and changes access: see `access-lists.ts`. */
export type AccessListsService = Pick<AccessService, 'listAccess' | 'updateAccess'>

/** Handlers of AccessService that resolve access. */
export const access = (ctx: Context): Omit<AccessService, keyof AccessListsService> => ({
  async resolveAccess(request: ResolveAccessRequest): Promise<ResolveAccessResponse> {
    const credential = readCredential(request, ctx.serviceKey)
    if (credential.kind === 'form') return resolveForm(ctx, credential.hash, request)
    const found = await findAccess(ctx, credential, request)
    const { row, keyExpiresAt, scope } = found
    const keyId = noteUse(ctx, credential, row)
    const document =
      request.document === ''
        ? undefined
        : await placeDocument(ctx, row, readDocument(row, request))
    const { docId, role } = document ?? {}
    if (keyId !== undefined && docId !== undefined && roleAtLeast(role, 'editors'))
      ctx.keyDocuments.note({ keyId, docId })
    return signDecision(ctx, row, { document, claims: { scope, keyId }, keyExpiresAt })
  },

  async *holdLease(requests: AsyncIterable<HoldLeaseRequest>, call: ServerCall) {
    requireSystem(call)
    yield* holdLease(ctx, requests, call.signal)
  },

  listVerificationKeys() {
    return Promise.resolve({ jwks: JSON.stringify(ctx.jwks) })
  },
})

/** Records the use of a key or session; returns the id of a key. */
function noteUse(
  { keyUse, sessionUse }: Context,
  { kind }: Credential,
  { keyId, keyLastUsedAt }: AccessRow,
): number | undefined {
  if (keyId === null) return undefined
  const use = kind === 'session' ? sessionUse : keyUse
  use.note(keyId, keyLastUsedAt)
  return kind === 'session' ? undefined : keyId
}

async function findAccess(ctx: Context, credential: Credential, request: ResolveAccessRequest) {
  const { document, site } = request
  const rows =
    document === ''
      ? await resolveCaller(ctx.db, credential)
      : await resolveAccess(ctx.db, credential, {
          ref: readDocumentRef(document),
          site: readSite(site),
        })
  const row = chooseDocument(rows.map(cutToScope), rows[0]?.userId ?? 0)
  if (!row) throw await refusalOf(ctx, credential)
  return { row, keyExpiresAt: row.keyExpiresAt, scope: row.scope ?? undefined }
}

/** A decision whose role is limited to the scope of the key. */
interface ScopedRow extends AccessRow {
  /** The role of the user, whatever the key. */
  readonly unscopedRole: AccessRow['role']
}

function cutToScope(row: AccessRow): ScopedRow {
  return { ...row, role: scopedRole(row), unscopedRole: row.role }
}

function scopedRole({ scope, role, orgId, workspaceId, docId }: AccessRow): AccessRow['role'] {
  if (scope === null || role === null) return role
  if (orgId === null || workspaceId === null || docId === null) return role
  if (!isWithin(scope, { orgId, workspaceId, docId })) return null
  if (scope.readOnly && roleAtLeast(role, 'viewers')) return 'viewers'
  return scope.caps && roleAtLeast(role, 'editors') ? 'editors' : role
}

/** Returns the document of a decision. Throws `not_found`, or `forbidden` when the role is insufficient. */
function readDocument(row: ScopedRow, { neededRole }: ResolveAccessRequest) {
  if (row.docId === null) throw documentNotFound()
  const role: RoleName | undefined = row.kind === 'system' ? 'owners' : (row.role ?? undefined)
  const need = readNeededRole(neededRole)
  // A caller without view access is not told which role would be sufficient.
  if (role === undefined || !roleAtLeast(role, 'viewers')) throw tooLow(row, 'viewers')
  if (!roleAtLeast(role, need)) throw tooLow(row, need)
  if (row.isRemoved && row.kind !== 'system') throw documentInTrash()
  return { docId: row.docId, role }
}

/** The scope of the key is named only where it makes the difference. */
function tooLow({ unscopedRole }: ScopedRow, need: NeededRole): Error {
  return roleAtLeast(unscopedRole ?? undefined, need) ? keyScopeError() : documentRoleError(need)
}

function readNeededRole(wire: ResolveAccessRequest['neededRole']): NeededRole {
  const role = roleFromWire(wire)
  return role === 'owners' || role === 'editors' ? role : 'viewers'
}
