import type {
  ResolveAccessRequest,
  ResolveAccessResponse,
} from '@sheaf/protos/sheaf/directory/v1/access'
import type { Context } from '../context'
import { resolveFormKey } from '../db/form-keys'
import { placeDocument, signDecision } from './access-decision'
import { formNotFound } from './errors'

/** Grants the use of the form of a key. Throws `not_found` without telling why, and as `placeDocument`. */
export async function resolveForm(
  ctx: Context,
  hash: Buffer,
  { document: named }: ResolveAccessRequest,
): Promise<ResolveAccessResponse> {
  const found = named === '' ? await resolveFormKey(ctx.db, hash) : undefined
  if (!found || found.docId === null || found.isRemoved) throw formNotFound()
  const row = { ...found, unscopedRole: null }
  const document = await placeDocument(ctx, row, { docId: found.docId, role: undefined })
  return signDecision(ctx, row, {
    document,
    claims: { formViewId: found.viewId },
    keyExpiresAt: null,
  })
}
