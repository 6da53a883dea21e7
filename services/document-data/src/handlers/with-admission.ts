import type { ServerCall } from '@sheaf/auth/server-call'
import type { ServedService } from '@sheaf/kit/grpc/server'
import type { Admission, Wanted } from '../admission'

/** RPCs without side effects: those named so by convention, SQL, which is read-only, and formulas that are not stored. */
const READ = /^(get|list|read)[A-Z]|^runSql$|^checkFormula$/

/** RPCs that transfer files, and last as long as their client takes. Rows of an import are written last, at once. */
const transfers = new Set([
  'uploadAttachment',
  'downloadAttachment',
  'readAttachmentsArchive',
  'restoreAttachments',
  'importDocument',
  'importTables',
  'previewImport',
])

type Handler = (request: never, call: ServerCall) => unknown

/** Handlers with admission control: rejected calls are neither parsed nor started. */
export function withAdmission(
  admission: Admission,
  definition: ServedService['definition'],
  handlers: object,
): object {
  const guarded: Record<string, Handler> = {}
  for (const [name, handle] of Object.entries(handlers as Record<string, Handler>)) {
    const kind = transfers.has(name) ? 'transfer' : READ.test(name) ? 'read' : 'write'
    const guard = definition[name]?.responseStream ? guardStream : guardUnary
    guarded[name] = guard(admission, kind, handle.bind(handlers))
  }
  return guarded
}

function guardUnary(admission: Admission, kind: Wanted['kind'], handle: Handler): Handler {
  return async (request: never, call) => {
    const leave = enter(admission, kind, request, call)
    try {
      return await handle(request, call)
    } finally {
      leave()
    }
  }
}

function guardStream(admission: Admission, kind: Wanted['kind'], handle: Handler): Handler {
  return async function* (request: never, call) {
    const leave = enter(admission, kind, request, call)
    try {
      yield* handle(request, call) as AsyncIterable<unknown>
    } finally {
      leave()
    }
  }
}

const leaveNothing = () => {}

function enter(
  admission: Admission,
  kind: Wanted['kind'],
  request: { readonly bodyJson?: Uint8Array },
  { caller }: ServerCall,
): () => void {
  // Calls from Sheaf itself are few and clean up after others, so they are always admitted.
  if (caller.system) return leaveNothing
  // The document comes from the verified token, so that no caller can use up the share of another document.
  const { userId, docId = '' } = caller
  return admission.enter({ kind, userId, docId, bytes: request.bodyJson?.length ?? 0 })
}
