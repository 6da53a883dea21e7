import type { ServerCall } from '@sheaf/auth/server-call'
import type { ServedService } from '@sheaf/kit/grpc/server'
import type { Context } from '../context'

/** RPCs that use no document of this instance: it does not exist yet, need not exist any more, or only its snapshot is read. */
const withoutDocument = new Set([
  'adoptDocument',
  'createDocument',
  'createFromDeleted',
  'createFromSnapshot',
  'deleteDocument',
  'importDocument',
  'moveDocument',
  'prepareDocument',
  'previewImport',
  'releaseDocument',
  'restoreDocument',
  'verifySnapshot',
])

/** Unary RPCs that only read. */
const READ = /^(get|list|read)[A-Z]|^checkFormula$/

/** RPCs that answer with a stream and write; all others only read. */
const streamingWrites = new Set(['importTables'])

type Handler = (request: never, call: ServerCall) => unknown

/**
 * Handlers that run once the document of their call is ready for use on this instance, and answer what they have read
 * only if no other instance can have changed it meanwhile; the same ones without replication, where that is always so.
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
    else if (streamingWrites.has(name))
      prepared[name] = async function* (request: never, call) {
        await prepare(ctx, call)
        yield* handle(request, call) as AsyncIterable<unknown>
      }
    else if (definition[name]?.responseStream)
      prepared[name] = async function* (request: never, call) {
        const check = await prepare(ctx, call)
        for await (const part of handle(request, call) as AsyncIterable<unknown>) {
          check()
          yield part
        }
        check()
      }
    else if (READ.test(name))
      prepared[name] = async (request: never, call) => {
        const check = await prepare(ctx, call)
        const answer = await handle(request, call)
        check()
        return answer
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
async function prepare(
  { documents, home }: Pick<Context, 'documents' | 'home'>,
  { caller }: ServerCall,
): Promise<() => void> {
  const { docId, assignment } = caller
  if (docId === undefined || caller.home !== home) return () => {}
  const preparing = documents.prepare(docId, assignment)
  if (preparing) await preparing
  return documents.guard(docId)
}
