import type { CallerClaims } from '@sheaf/auth/caller-token'
import { PAST_AND_CAPS, requireProtocol } from '@sheaf/auth/require-protocol'
import { roleToWire, type RoleName } from '@sheaf/auth/roles'
import type { ResolveAccessResponse } from '@sheaf/protos/sheaf/directory/v1/access'
import type { Context } from '../context'
import type { AccessRow } from '../db/access'
import type { Assignment } from '../db/assignments'
import { documentNotFound } from './errors'

/** Maximum lifetime of a caller token. */
export const TOKEN_MS = 30_000

/** A document with the caller's role on it, and the instance that has it. */
interface PlacedDocument extends Assignment {
  readonly docId: string
  /** Undefined for the user of a form. */
  readonly role: RoleName | undefined
}

/** What a decision grants. */
interface Decision {
  readonly document: PlacedDocument | undefined
  readonly claims: Pick<CallerClaims, 'scope' | 'keyId' | 'formViewId'>
  readonly keyExpiresAt: Date | null
}

/** Returns a decision with the token that proves it. */
export async function signDecision(
  { signer }: Context,
  row: Pick<AccessRow, 'userId' | 'email' | 'name' | 'kind' | 'version'> & {
    /** The role of the user, whatever the key. */
    readonly unscopedRole: AccessRow['role']
  },
  { document, claims, keyExpiresAt }: Decision,
): Promise<ResolveAccessResponse> {
  const caller = {
    userId: row.userId,
    email: row.email,
    name: row.name,
    anonymous: row.kind === 'anonymous',
    system: row.kind === 'system',
  }
  const { docId, role, home, assignment } = document ?? {}
  const all: CallerClaims = { ...caller, docId, role, home, assignment, ...claims }
  const { token, expiresAt } = await signer.sign(all, tokenLife(keyExpiresAt))
  return {
    caller,
    document: document && {
      docId: document.docId,
      role: roleToWire(document.role),
      home: document.home,
      homeAddress: document.homeAddress ?? '',
      homeProtocol: document.homeProtocol ?? 0,
      assignment: document.assignment,
      unscopedRole: roleToWire(row.unscopedRole ?? undefined),
    },
    token,
    tokenExpiresAt: expiresAt,
    accessVersion: row.version,
    keyExpiresAt: keyExpiresAt?.getTime() ?? 0,
    formViewId: claims.formViewId ?? 0,
  }
}

/**
 * Adds the instance that has the document. Throws `unavailable` when there is none, or when it is too old for the key,
 * `not_found` when the document was just deleted.
 */
export async function placeDocument<T extends { readonly docId: string }>(
  { homeAssigner }: Context,
  { home, homeAddress, homeProtocol, assignment, isHomeEnded, isPinned, scope }: AccessRow,
  document: T,
): Promise<T & Assignment> {
  if (home === null || assignment === null) throw documentNotFound()
  const known = { home, homeAddress, homeProtocol, assignment, isHomeEnded, isPinned }
  const present = isHomeEnded ? await homeAssigner.assign(document.docId, known) : known
  if (!present) throw documentNotFound()
  // An instance that has not been upgraded yet ignores caps.
  if (scope?.caps && present.homeProtocol !== null)
    requireProtocol(present.homeProtocol, PAST_AND_CAPS)
  return { ...document, ...present }
}

/** A token expires no later than its key or session. */
function tokenLife(keyExpiresAt: Date | null): number {
  if (keyExpiresAt === null) return TOKEN_MS
  return Math.max(0, Math.min(TOKEN_MS, keyExpiresAt.getTime() - Date.now()))
}
