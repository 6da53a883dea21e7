import { createHash, timingSafeEqual } from 'node:crypto'
import type { CallerClaims } from '@sheaf/auth/caller-token'
import { documentRoleError } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import { requireSystem } from '@sheaf/auth/require-access'
import {
  roleAtLeast,
  roleFromWire,
  roleToWire,
  type NeededRole,
  type RoleName,
} from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  AccessService,
  HoldLeaseRequest,
  ResolveAccessRequest,
  ResolveAccessResponse,
} from '@sheaf/protos/sheaf/directory/v1/access'
import { hashApiKey, isApiKey } from '../access/api-keys'
import { isWithin } from '../access/key-scope'
import { hashSignInToken, isSignInToken } from '../access/sign-in-tokens'
import { chooseDocument, readDocumentRef, readSite } from '../access/resolve'
import type { Context } from '../context'
import { resolveAccess, resolveCaller, type AccessRow, type Credential } from '../db/access'
import { holdLease } from '../leases/hold-lease'
import { documentInTrash, documentNotFound } from './errors'

/** Maximum lifetime of a caller token. */
export const TOKEN_MS = 30_000

/** The part of AccessService that lists and changes access: see `access-lists.ts`. */
export type AccessListsService = Pick<AccessService, 'listAccess' | 'updateAccess'>

/** Handlers of AccessService that resolve access. */
export const access = (ctx: Context): Omit<AccessService, keyof AccessListsService> => ({
  async resolveAccess(request: ResolveAccessRequest): Promise<ResolveAccessResponse> {
    const credential = readCredential(request, ctx.serviceKey)
    const found = await findAccess(ctx, credential, request)
    const { row, keyId, keyExpiresAt, scope } = found
    const use = credential.kind === 'session' ? ctx.sessionUse : ctx.keyUse
    if (keyId !== null) use.note(keyId, row.keyLastUsedAt)
    const document = request.document === '' ? undefined : readDocument(row, request)
    const caller = {
      userId: row.userId,
      email: row.email,
      name: row.name,
      anonymous: row.kind === 'anonymous',
      system: row.kind === 'system',
    }
    const claims: CallerClaims = { ...caller, ...document, scope }
    const { token, expiresAt } = await ctx.signer.sign(claims, tokenLife(keyExpiresAt))
    return {
      caller,
      document: document && {
        docId: document.docId,
        role: roleToWire(document.role),
        home: document.home,
        homeAddress: row.homeAddress ?? '',
      },
      token,
      tokenExpiresAt: expiresAt,
      accessVersion: row.version,
      keyExpiresAt: keyExpiresAt?.getTime() ?? 0,
    }
  },

  async *holdLease(requests: AsyncIterable<HoldLeaseRequest>, call: ServerCall) {
    requireSystem(call)
    yield* holdLease(ctx.changes, requests, call.signal)
  },

  listVerificationKeys() {
    return Promise.resolve({ jwks: JSON.stringify(ctx.jwks) })
  },
})

/** Parses a credential. Throws `unauthenticated` for a malformed one, without a database query. */
function readCredential({ credential }: ResolveAccessRequest, serviceKey: string): Credential {
  if (credential === undefined) return { kind: 'anonymous' }
  if (credential.$case === 'serviceKey') {
    if (!sameSecret(credential.value, serviceKey))
      throw new AppError('unauthenticated', 'INVALID_SERVICE_KEY', 'invalid service key')
    return { kind: 'system' }
  }
  if (credential.$case === 'session') {
    if (!isSignInToken('session', credential.value)) throw sessionEnded()
    return { kind: 'session', hash: hashSignInToken(credential.value) }
  }
  if (!isApiKey(credential.value)) throw invalidKey()
  return { kind: 'key', hash: hashApiKey(credential.value) }
}

/** Compares digests, so that timing reveals neither the secret nor its length. */
function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

const invalidKey = () =>
  new AppError('unauthenticated', 'INVALID_API_KEY', 'Bad request: invalid API key')

const sessionEnded = () =>
  new AppError('unauthenticated', 'SESSION_ENDED', 'the session has expired, sign in again')

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
  if (!row) throw credential.kind === 'session' ? sessionEnded() : invalidKey()
  const { keyId, keyExpiresAt } = row
  return { row, keyId, keyExpiresAt, scope: row.scope ?? undefined }
}

/** Limits the role of a decision to the scope of the key. */
function cutToScope(row: AccessRow): AccessRow {
  const { scope, role, orgId, workspaceId, docId } = row
  if (scope === null || role === null) return row
  if (orgId === null || workspaceId === null || docId === null) return row
  if (!isWithin(scope, { orgId, workspaceId, docId })) return { ...row, role: null }
  return scope.readOnly && roleAtLeast(role, 'viewers') ? { ...row, role: 'viewers' } : row
}

/** Returns the document of a decision. Throws `not_found`, or `forbidden` when the role is insufficient. */
function readDocument(row: AccessRow, { neededRole }: ResolveAccessRequest) {
  if (row.docId === null || row.home === null) throw documentNotFound()
  const role: RoleName | undefined = row.kind === 'system' ? 'owners' : (row.role ?? undefined)
  const need = readNeededRole(neededRole)
  // A caller without view access is not told which role would be sufficient.
  if (role === undefined || !roleAtLeast(role, 'viewers')) throw documentRoleError('viewers')
  if (!roleAtLeast(role, need)) throw documentRoleError(need)
  if (row.isRemoved && row.kind !== 'system') throw documentInTrash()
  return { docId: row.docId, role, home: row.home }
}

function readNeededRole(wire: ResolveAccessRequest['neededRole']): NeededRole {
  const role = roleFromWire(wire)
  return role === 'owners' || role === 'editors' ? role : 'viewers'
}

/** A token expires no later than its key or session. */
function tokenLife(keyExpiresAt: Date | null): number {
  if (keyExpiresAt === null) return TOKEN_MS
  return Math.max(0, Math.min(TOKEN_MS, keyExpiresAt.getTime() - Date.now()))
}
