import { FORMS } from '@sheaf/auth/require-protocol'
import type { FormKey } from '@sheaf/protos/sheaf/directory/v1/forms'
import { getKeyOptions, hasKey } from '../documents/conditional-requests'
import type { Exchange } from '../http/exchange'
import { originOf } from '../http/origin'
import { sendBytes, sendJson, sendNull } from '../http/reply'
import type { DocumentSession } from '../routing/document-session'
import { defineRoute, type Route } from '../routing/route'
import { nothing } from '../schemas/errors'
import { form, formKeyParams, formLink, formRow, newFormLink } from '../schemas/forms'
import { formParams } from '../schemas/parameters'

const tag = 'forms'
const path = '/api/forms/{formKey}'
const linkPath = '/api/docs/{docId}/forms/{viewId}/link'
/** Many times what people enter. */
const MAX_BODY_BYTES = 256 * 1024

/** Forms for everyone with their link, and these links. */
export const formRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'describeForm',
    tag,
    summary: 'Get a form',
    description:
      'Returns what a form asks. It tells nothing else about its document. A key that is unknown, replaced or switched off is a 404 `FORM_NOT_FOUND`.',
    access: 'form',
    params: formKeyParams,
    noStore: true,
    success: { description: 'The form', schema: form },
    async handle(exchange, { document }) {
      const found = await readForm(exchange, document, document.formViewId)
      sendBytes(exchange, Buffer.from(found.formJson))
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/rows`,
    id: 'addFormRow',
    tag,
    summary: 'Send a form',
    description:
      'Adds one row with what was entered. Values must have the type of their field, and fields that are required must have one: else 400 `INVALID_FORM_VALUE`, and `details.field` names the field. Repeated with the same `Idempotency-Key`, it adds one row only. The body has at most 256 KiB.',
    access: 'form',
    params: formKeyParams,
    body: formRow,
    maxBodyBytes: MAX_BODY_BYTES,
    success: { description: 'The row was added', schema: nothing },
    statuses: { 422: 'The `Idempotency-Key` was used with a different request.' },
    async handle(exchange, { document, params, body, bytes }) {
      exchange.context.rates.countFormRow(exchange, params.formKey)
      exchange.neededProtocol = FORMS
      const options = getKeyOptions(exchange, bytes)
      const { docId, formViewId: viewId } = document
      const valuesJson = Buffer.from(JSON.stringify(body.fields))
      await document.call(
        (home, call) => home.forms.addFormRow({ docId, viewId, valuesJson, options }, call),
        { isIdempotent: hasKey(options) },
      )
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'get',
    path: linkPath,
    id: 'describeFormLink',
    tag,
    summary: 'Get the link of a form',
    description: 'Returns the link by which a form can be used without signing in.',
    access: 'editors',
    params: formParams,
    noStore: true,
    success: { description: 'The link', schema: formLink },
    async handle(exchange, { document, params: { viewId } }) {
      const { directory } = exchange.context
      const request = { document: document.docId, site: '', viewId }
      const { key } = await directory.forms.getFormKey(request, exchange.call())
      if (!key) await readForm(exchange, document, viewId)
      sendJson(exchange, { link: key ? toLink(exchange, key) : null })
    },
  }),
  defineRoute({
    method: 'post',
    path: linkPath,
    id: 'createFormLink',
    tag,
    summary: 'Share a form by a link',
    description:
      'Gives a form a link, unless it has one, by which everyone who has it can add rows with this form and do nothing else. Not for API keys with a scope.',
    access: 'owners',
    params: formParams,
    body: newFormLink,
    noStore: true,
    success: { description: 'The link', schema: formLink },
    async handle(exchange, { document, params: { viewId }, body: { renew } }) {
      const { directory } = exchange.context
      // A key must not wait for a form that does not exist yet.
      await readForm(exchange, document, viewId)
      const request = { document: document.docId, site: '', viewId, renew }
      const { key } = await directory.forms.createFormKey(request, exchange.call())
      sendJson(exchange, { link: key ? toLink(exchange, key) : null })
    },
  }),
  defineRoute({
    method: 'delete',
    path: linkPath,
    id: 'deleteFormLink',
    tag,
    summary: 'Switch off the link of a form',
    description:
      'Ends the link of a form, if it has one; from then on it is a 404. Not for API keys with a scope.',
    access: 'owners',
    params: formParams,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, { document, params: { viewId } }) {
      const { directory } = exchange.context
      const request = { document: document.docId, site: '', viewId }
      const { key } = await directory.forms.getFormKey(request, exchange.call())
      // The link of a form that is gone can still be ended.
      if (!key) await readForm(exchange, document, viewId)
      await directory.forms.deleteFormKey(request, exchange.call())
      sendNull(exchange)
    },
  }),
]

function readForm(exchange: Exchange, document: DocumentSession, viewId: number) {
  exchange.neededProtocol = FORMS
  const request = { docId: document.docId, viewId }
  return document.read((home, call) => home.forms.getForm(request, call))
}

const toLink = (exchange: Exchange, { key, createdAt }: FormKey) => ({
  key,
  url: `${originOf(exchange)}/forms/${key}`,
  createdAt: new Date(createdAt).toISOString(),
})
