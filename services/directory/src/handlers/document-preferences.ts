import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  DocumentsService,
  GetDocumentPreferencesRequest,
  UpdateDocumentPreferencesRequest,
} from '@sheaf/protos/sheaf/directory/v1/documents'
import type { Context } from '../context'
import * as rows from '../db/document-preferences'
import { getVisibleDocument } from './document-lifecycle'
import { documentNotFound, requireSignedIn } from './errors'
import { readJsonObject } from './json-object'
import { mergePatch } from './merge-patch'

/** Maximum size of a user's preferences in one document, and of one patch, in bytes of JSON. */
const MAX_BYTES = 32 * 1024

const NONE = '{}'

type DocumentPreferences = Pick<
  DocumentsService,
  'getDocumentPreferences' | 'updateDocumentPreferences'
>

/** Handlers of DocumentsService for the caller's own preferences in a document. */
export const documentPreferences = (ctx: Context): DocumentPreferences => ({
  async getDocumentPreferences(request: GetDocumentPreferencesRequest, call: ServerCall) {
    const userId = requireSignedIn(call)
    // A document in the trash can be described with them.
    const anywhere = { ...request, removed: true }
    const { id: documentId } = await getVisibleDocument(ctx, userId, anywhere)
    const stored = await rows.findDocumentPreferences(ctx.db, { userId, documentId })
    return { preferencesJson: Buffer.from(stored ?? NONE) }
  },

  async updateDocumentPreferences(request: UpdateDocumentPreferencesRequest, call: ServerCall) {
    const userId = requireSignedIn(call)
    const { id: documentId } = await getVisibleDocument(ctx, userId, request)
    const patch = readJsonObject(request.patchJson, { field: 'patch_json', maxBytes: MAX_BYTES })
    const owned = { userId, documentId }
    const preferencesJson = await ctx.db.transaction().execute(async (trx) => {
      const stored = await rows.holdDocumentPreferences(trx, owned)
      if (stored === undefined) throw documentNotFound()
      const merged = Buffer.from(JSON.stringify(mergePatch(JSON.parse(stored), patch)))
      readJsonObject(merged, { field: 'preferences', maxBytes: MAX_BYTES })
      await rows.replaceDocumentPreferences(trx, owned, merged.toString())
      return merged
    })
    return { preferencesJson }
  },
})
