import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/kit/server-call'
import type {
  ApiKey,
  CreateKeyRequest,
  KeysService,
  ListKeysRequest,
  RevokeKeyRequest,
} from '@sheaf/protos/sheaf/directory/v1/keys'
import { createApiKey, hashApiKey, isApiKey, PREFIX_LENGTH } from '../access/api-keys'
import { requireLabel } from '../access/names'
import type { Context } from '../context'
import { insertKey, listKeys, MAX_KEYS, revokeKey, type KeyRef, type KeyRow } from '../db/keys'
import { userExists } from '../db/users'
import { accessDenied, requireSignedIn, userNotFound } from './refusals'
import { isRowId } from './workspaces'

/** Handlers of KeysService. */
export const keys = (ctx: Context): KeysService => ({
  async createKey({ userId, name, expiresAt }: CreateKeyRequest, call: ServerCall) {
    requireKeyholder(call, userId)
    const key = createApiKey()
    const row = await insertKey(ctx.db, {
      userId,
      name: requireLabel(name, 'name'),
      prefix: key.slice(0, PREFIX_LENGTH),
      hash: hashApiKey(key),
      expiresAt: readExpiry(expiresAt),
    })
    if (row) return { key, apiKey: keyToWire(row) }
    if (!(await userExists(ctx.db, userId))) throw userNotFound()
    throw new AppError('too_many', 'TOO_MANY_KEYS', `a user can have at most ${MAX_KEYS} keys`)
  },

  async listKeys({ userId }: ListKeysRequest, call: ServerCall) {
    requireKeyholder(call, userId)
    const rows = await listKeys(ctx.db, userId)
    if (rows.length === 0 && !(await userExists(ctx.db, userId))) throw userNotFound()
    return { apiKeys: rows.map(keyToWire) }
  },

  async revokeKey({ keyRef }: RevokeKeyRequest, call: ServerCall) {
    const ref = readKeyRef(keyRef)
    const owner = keyOwner(call)
    const row = await ctx.changes.change(async (trx) => {
      const revoked = ref && (await revokeKey(trx, ref, owner))
      // Thrown inside, so that what does not exist makes no gateway forget anything.
      if (!revoked) throw new AppError('not_found', 'KEY_NOT_FOUND', 'key not found')
      return revoked
    })
    return { apiKey: keyToWire(row) }
  },
})

/** Whose keys a caller may touch; undefined for a system caller, who may touch all. Throws `forbidden`. */
function keyOwner(call: ServerCall): number | undefined {
  if (call.caller.system) return undefined
  // A token made for one document travels to other services, which have no business with keys.
  if (call.caller.docId !== undefined) throw accessDenied()
  return requireSignedIn(call)
}

function requireKeyholder(call: ServerCall, userId: number): void {
  const owner = keyOwner(call)
  if (owner !== undefined && owner !== userId) throw accessDenied()
  if (!isRowId(userId)) throw userNotFound()
}

/** How a key is named: by id, by itself, or by its prefix; undefined for what cannot name any. */
function readKeyRef(ref: RevokeKeyRequest['keyRef']): KeyRef | undefined {
  if (ref === undefined)
    throw new AppError('invalid', 'KEY_REF_REQUIRED', 'key_ref must name a key', {
      field: 'key_ref',
    })
  if (ref.$case === 'keyId') return isRowId(ref.value) ? { id: ref.value } : undefined
  if (isApiKey(ref.value)) return { hash: hashApiKey(ref.value) }
  return ref.value.length === PREFIX_LENGTH && /^shf_[0-9A-Za-z]+$/.test(ref.value)
    ? { prefix: ref.value }
    : undefined
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** When a key ends; null for never. Throws `invalid` for what is no time, or is past. */
function readExpiry(text: string): Date | null {
  if (text === '') return null
  const time = ISO_TIME.test(text) ? Date.parse(text) : NaN
  if (time > Date.now()) return new Date(time)
  throw new AppError('invalid', 'INVALID_EXPIRY', 'expires_at must be an ISO 8601 time to come', {
    field: 'expires_at',
  })
}

function keyToWire(row: KeyRow): ApiKey {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    prefix: row.prefix,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? '',
    lastUsedAt: row.last_used_at?.toISOString() ?? '',
  }
}
