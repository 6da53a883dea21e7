import { documentRoleError } from '@sheaf/auth/require-access'
import { roleAtLeast, type NeededRole } from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import { AppError } from '@sheaf/kit/errors'
import type {
  CreateFormKeyRequest,
  DeleteFormKeyRequest,
  FormKey,
  FormsService,
  GetFormKeyRequest,
} from '@sheaf/protos/sheaf/directory/v1/forms'
import { createFormKey, hashFormKey } from '../access/form-keys'
import type { Context } from '../context'
import { auditFormLink, type Actor } from '../db/access-audit'
import * as rows from '../db/form-keys'
import { getVisibleDocument } from './document-lifecycle'
import { documentNotFound, requireUser } from './errors'

/** Handlers of FormsService. Sharing with people who do not sign in is a decision of owners. */
export const forms = (ctx: Context): FormsService => ({
  async getFormKey(request: GetFormKeyRequest, call: ServerCall) {
    const found = await rows.findFormKey(ctx.db, await getForm(ctx, call, request, 'editors'))
    return { key: found && keyToWire(found) }
  },

  async createFormKey(request: CreateFormKeyRequest, call: ServerCall) {
    const userId = requireUser(call)
    const { row } = await ctx.changes.change(
      async (trx) => {
        const form = await getForm({ ...ctx, db: trx }, call, request, 'owners')
        // Of two calls at once the second returns the key of the first, which would else end unseen.
        await rows.lockFormKeys(trx, form.documentId)
        const present = await rows.findFormKey(trx, form)
        if (present && !request.renew) return { row: present, isReplaced: false }
        if (!present && (await rows.countFormKeys(trx, form.documentId)) >= rows.MAX_FORM_KEYS)
          throw tooMany()
        const key = createFormKey()
        const row = await rows.putFormKey(trx, { ...form, key, hash: hashFormKey(key), userId })
        if (!row) throw documentNotFound()
        const change = present ? 'form_link_renewed' : 'form_link_created'
        await auditFormLink(trx, actorOf(call, userId), form, change)
        return { row, isReplaced: present !== undefined }
      },
      // A first key changes no decision that a gateway can have cached.
      ({ isReplaced }) => isReplaced,
    )
    return { key: keyToWire(row) }
  },

  async deleteFormKey(request: DeleteFormKeyRequest, call: ServerCall) {
    const userId = requireUser(call)
    await ctx.changes.change(
      async (trx) => {
        const form = await getForm({ ...ctx, db: trx }, call, request, 'owners')
        const isDeleted = await rows.deleteFormKey(trx, form)
        if (isDeleted) await auditFormLink(trx, actorOf(call, userId), form, 'form_link_removed')
        return isDeleted
      },
      (isDeleted) => isDeleted,
    )
    return {}
  },
})

const actorOf = ({ caller, requestId }: ServerCall, userId: number): Actor => ({
  userId,
  email: caller.email,
  requestId,
})

async function getForm(
  ctx: Context,
  call: ServerCall,
  request: GetFormKeyRequest,
  need: NeededRole,
): Promise<rows.FormRef> {
  const { id: documentId, role } = await getVisibleDocument(ctx, requireUser(call), request)
  if (!roleAtLeast(role ?? undefined, need)) throw documentRoleError(need)
  const { viewId } = request
  if (!Number.isSafeInteger(viewId) || viewId < 1)
    throw new AppError('invalid', 'BAD_FIELD', 'view_id must be a positive integer')
  return { documentId, viewId }
}

const tooMany = () =>
  new AppError(
    'too_many',
    'TOO_MANY_FORM_KEYS',
    `a document must not have more than ${rows.MAX_FORM_KEYS} forms with a link`,
  )

const keyToWire = ({ key, createdAt }: rows.FormKeyRow): FormKey => ({
  key,
  createdAt: createdAt.getTime(),
})
