import { sendBytes } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { documentPreferences, documentPreferencesPatch } from '../schemas/document-preferences'
import { docParams } from '../schemas/parameters'

const tag = 'docs'
const path = '/api/docs/{docId}/preferences'

/** Preferences of the caller in a document: read, merge. */
export const documentPreferenceRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'describeDocPreferences',
    tag,
    summary: 'Get your preferences in a document',
    description:
      'Returns what clients have stored for the calling user in this document. Requires a signed-in user with view access to the document, and a credential without a scope.',
    access: 'caller',
    params: docParams,
    success: { description: 'The preferences', schema: documentPreferences },
    async handle(exchange, { params: { docId } }) {
      const { directory } = exchange.context
      const request = { document: docId, site: exchange.site }
      const call = exchange.call()
      const found = await directory.documents.getDocumentPreferences(request, call)
      sendBytes(exchange, found.preferencesJson)
    },
  }),
  defineRoute({
    method: 'patch',
    path,
    id: 'modifyDocPreferences',
    tag,
    summary: 'Change your preferences in a document',
    description:
      'Merges a JSON merge patch (RFC 7396) into the preferences of the calling user in this document, which nobody else sees, and returns them; at most 32 KiB. Those in the 1,000 documents where they were changed last are kept. Requires a signed-in user with view access to the document, and a credential without a scope.',
    access: 'caller',
    params: docParams,
    body: documentPreferencesPatch,
    success: { description: 'The preferences as stored', schema: documentPreferences },
    async handle(exchange, { params: { docId }, body }) {
      const { directory } = exchange.context
      const patchJson = Buffer.from(JSON.stringify(body))
      const request = { document: docId, site: exchange.site, patchJson }
      const call = exchange.call()
      const stored = await directory.documents.updateDocumentPreferences(request, call)
      sendBytes(exchange, stored.preferencesJson)
    },
  }),
]
