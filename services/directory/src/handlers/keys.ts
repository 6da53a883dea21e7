import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type { KeyCaps } from '@sheaf/auth/key-caps'
import type {
  ApiKey,
  CreateDefaultKeyRequest,
  CreateKeyRequest,
  GetDefaultKeyRequest,
  KeyCaps as WireCaps,
  KeysService,
  ListKeyDocumentsRequest,
  ListKeysRequest,
  RevokeDefaultKeyRequest,
  RevokeKeyRequest,
} from '@sheaf/protos/sheaf/directory/v1/keys'
import { createApiKey, hashApiKey, isApiKey, PREFIX_LENGTH } from '../access/api-keys'
import { requireLabel } from '../access/names'
import type { Context } from '../context'
import { listKeyDocuments } from '../db/key-documents'
import * as rows from '../db/keys'
import { userExists } from '../db/users'
import { credentialOwner, requireCredentialOwner } from './credential-owner'
import { readNewScope } from './new-key-scope'
import { isPublicUser, requireUser, userNotFound } from './errors'
import { isRowId } from './workspaces'

/** Handlers of KeysService. */
export const keys = (ctx: Context): KeysService => ({
  async createKey(request: CreateKeyRequest, call: ServerCall) {
    const userId = requireCredentialOwner(call, request.userId)
    const name = requireLabel(request.name, 'name')
    const expiresAt = readExpiry(request.expiresAt)
    const scope = await readNewScope(ctx, userId, request.scope)
    const mayBeDefault = request.mayBeDefault === true && expiresAt === null && scope === undefined
    const { key, stored } = newKey({ userId, name, expiresAt, scope, mayBeDefault })
    const row = await ctx.db.transaction().execute((trx) => rows.insertKey(trx, stored))
    if (!row) throw await notStored(ctx, userId)
    return { key, apiKey: keyToWire(row) }
  },

  async listKeys({ userId: given }: ListKeysRequest, call: ServerCall) {
    const userId = requireCredentialOwner(call, given)
    const found = await rows.listKeys(ctx.db, userId)
    if (found.length === 0 && !(await userExists(ctx.db, userId))) throw userNotFound()
    return { apiKeys: found.map(keyToWire) }
  },

  async revokeKey({ keyRef }: RevokeKeyRequest, call: ServerCall) {
    const ref = readKeyRef(keyRef)
    const owner = credentialOwner(call)
    const row = await ctx.changes.change(async (trx) => {
      const revoked = ref && (await rows.revokeKey(trx, ref, owner))
      // Thrown inside the transaction, so that a missing key does not invalidate any cache.
      if (!revoked) throw keyNotFound()
      return revoked
    })
    return { apiKey: keyToWire(row) }
  },

  async listKeyDocuments({ keyId }: ListKeyDocumentsRequest, call: ServerCall) {
    const owner = credentialOwner(call)
    const documents = isRowId(keyId) && (await listKeyDocuments(ctx.db, keyId, owner))
    if (!documents) throw keyNotFound()
    return { documents }
  },

  async getDefaultKey({ userId: given }: GetDefaultKeyRequest, call: ServerCall) {
    if (isAnonymous(call)) return { apiKey: undefined }
    const row = await rows.findDefaultKey(ctx.db, requireCredentialOwner(call, given))
    return { apiKey: row && keyToWire(row) }
  },

  async createDefaultKey({ userId: given, replace }: CreateDefaultKeyRequest, call: ServerCall) {
    const userId = requireCredentialOwner(call, given)
    const old = await rows.findDefaultKey(ctx.db, userId)
    if (old && !replace) throw keyExists()
    const unlimited = { expiresAt: null, scope: undefined, mayBeDefault: true }
    const { key, stored } = newKey({ userId, name: '', ...unlimited })
    const row = await ctx.changes.change(async (trx) => {
      if (replace) await rows.revokeKey(trx, { defaultOf: userId }, userId)
      const made = await rows.insertKey(trx, stored)
      // Thrown inside the transaction, so that a key without a replacement is not revoked.
      if (!made) throw await notStored(ctx, userId)
      if (!made.is_default) throw keyExists()
      return made
    })
    return { key, apiKey: keyToWire(row) }
  },

  async revokeDefaultKey({ userId: given }: RevokeDefaultKeyRequest, call: ServerCall) {
    const userId = requireCredentialOwner(call, given)
    if (!(await rows.findDefaultKey(ctx.db, userId))) return { revoked: false }
    const row = await ctx.changes.change((trx) =>
      rows.revokeKey(trx, { defaultOf: userId }, userId),
    )
    return { revoked: row !== undefined }
  },
})

/** Generates a key, and the row to store. */
function newKey(of: Omit<rows.NewKey, 'prefix' | 'hash'>): { key: string; stored: rows.NewKey } {
  const key = createApiKey()
  return { key, stored: { ...of, prefix: key.slice(0, PREFIX_LENGTH), hash: hashApiKey(key) } }
}

const keyNotFound = () => new AppError('not_found', 'KEY_NOT_FOUND', 'key not found')

const keyExists = () =>
  new AppError(
    'invalid',
    'KEY_EXISTS',
    'An apikey is already set, use `{force: true}` to override it.',
  )

/** Returns why a key could not be stored. */
async function notStored(ctx: Context, userId: number): Promise<AppError> {
  if (!(await userExists(ctx.db, userId))) return userNotFound()
  const message = `a user must not have more than ${rows.MAX_KEYS} keys`
  return new AppError('too_many', 'TOO_MANY_KEYS', message)
}

function isAnonymous(call: ServerCall): boolean {
  return !call.caller.system && isPublicUser(requireUser(call))
}

/** Parses a key reference: an id, the key itself, or its prefix; undefined for anything else. */
function readKeyRef(ref: RevokeKeyRequest['keyRef']): rows.KeyRef | undefined {
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

/** Parses the expiry of a key; null for never. Throws `invalid` for a malformed or past time. */
function readExpiry(text: string): Date | null {
  if (text === '') return null
  const time = ISO_TIME.test(text) ? Date.parse(text) : NaN
  if (time > Date.now()) return new Date(time)
  throw new AppError(
    'invalid',
    'INVALID_EXPIRY',
    'expires_at must be an ISO 8601 time in the future',
    {
      field: 'expires_at',
    },
  )
}

function keyToWire(row: rows.KeyRow): ApiKey {
  const { scope } = row
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    prefix: row.prefix,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? '',
    lastUsedAt: row.last_used_at?.toISOString() ?? '',
    isDefault: row.is_default,
    scope: scope
      ? {
          readOnly: scope.readOnly,
          orgs: scope.orgs.map(String),
          workspaces: [...scope.workspaces],
          documents: [...scope.documents],
          caps: scope.caps && capsToWire(scope.caps),
        }
      : undefined,
  }
}

function capsToWire({ rowsPerCall, rowsPerHour, tables, noStructure }: KeyCaps): WireCaps {
  return {
    rowsPerCall,
    rowsPerHour,
    tables: [...(tables ?? [])],
    noStructure: noStructure ?? false,
  }
}
