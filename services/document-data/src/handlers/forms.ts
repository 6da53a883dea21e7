import { requireFormAccess } from '@sheaf/auth/require-access'
import type { NeededRole } from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import { AppError } from '@sheaf/kit/errors'
import {
  AddFormRowResponse,
  type AddFormRowRequest,
  type FormsService,
  type GetFormRequest,
} from '@sheaf/protos/sheaf/document_data/v1/forms'
import type { Context } from '../context'
import { readJson } from '../json/read-json'
import { addFormRow, getForm } from '../store/forms/forms'
import { requireHome } from './document-call'
import { runWrite } from './document-options'

/** Handlers of FormsService. */
export const forms = (ctx: Context): FormsService => ({
  getForm(request: GetFormRequest, call: ServerCall) {
    requireForm(ctx, call, request, 'viewers')
    const { docId, viewId } = request
    const form = ctx.documents.read(docId, (doc) => getForm(doc, viewId))
    return Promise.resolve({ formJson: Buffer.from(JSON.stringify(form)) })
  },

  addFormRow(request: AddFormRowRequest, call: ServerCall): Promise<AddFormRowResponse> {
    requireForm(ctx, call, request, 'editors')
    const values = readJson(request.valuesJson, 'body')
    if (typeof values !== 'object' || values === null || Array.isArray(values))
      throw new AppError('invalid', 'BAD_FIELD', 'values_json must be an object')
    return runWrite(ctx, call, request, {
      response: AddFormRowResponse,
      cause: 'form',
      run: (doc) => {
        addFormRow(doc, request.viewId, { ...values })
        return {}
      },
    })
  },
})

function requireForm(
  ctx: Pick<Context, 'home'>,
  call: ServerCall,
  request: GetFormRequest,
  need: NeededRole,
): void {
  requireFormAccess(call, request, need)
  requireHome(ctx, call.caller.home)
}
