import type { ServerCall } from '@sheaf/auth/server-call'
import type { ServedService } from '@sheaf/kit/grpc/server'
import type { Context } from '../context'

/** RPCs for documents that do not exist yet, or need not exist any more. */
const withoutDocument = new Set([
  'createDocument',
  'createFromSnapshot',
  'deleteDocument',
  'importDocument',
  'restoreDocument',
])

type Handler = (request: never, call: ServerCall) => unknown

/**
 * Handlers that run once the document of their call is ready for use on this instance; the same ones without
 * replication, where every document is.
 */
export function withDocument(
  ctx: Pick<Context, 'documents' | 'home'>,
  definition: ServedService['definition'],
  handlers: object,
): object {
  if (!ctx.documents.isReplicated) return handlers
  const prepared: Record<string, Handler> = {}
  for (const [name, handler] of Object.entries(handlers as Record<string, Handler>)) {
    const handle = handler.bind(handlers)
    if (withoutDocument.has(name)) prepared[name] = handle
    else if (definition[name]?.responseStream)
      prepared[name] = async function* (request: never, call) {
        await prepare(ctx, call)
        yield* handle(request, call) as AsyncIterable<unknown>
      }
    else
      prepared[name] = async (request: never, call) => {
        await prepare(ctx, call)
        return await handle(request, call)
      }
  }
  return prepared
}

/** A document of another instance is left to it: the handler refuses the call. */
function prepare(
  { documents, home }: Pick<Context, 'documents' | 'home'>,
  { caller }: ServerCall,
): Promise<void> | undefined {
  const { docId } = caller
  return docId === undefined || caller.home !== home ? undefined : documents.prepare(docId)
}
