import { roleAtLeast } from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import { AppError } from '@sheaf/kit/errors'
import type { ServedService } from '@sheaf/kit/grpc/server'
import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { Context } from '../context'
import { seqMoment } from '../moments/find-moment'
import type { OpenMoment } from '../moments/past-documents'
import type { DocumentStore } from '../store/documents/document-store'
import { requireDocument } from './document-call'
import { formerRecords } from './former-records'

/** A request that may ask for the document as it was at a moment. */
interface MomentRequest {
  readonly docId: string
  readonly options?: { readonly asOf?: Moment }
  readonly asOf?: Moment
}

type Handler = (request: MomentRequest, call: ServerCall) => unknown
type Handlers = Readonly<Record<string, Handler>>

/**
 * Handlers that read the document as it was at the moment that the request names, if it names one. Throws `forbidden`
 * unless the caller may read former values, for which the role editor is needed, and as `PastDocuments.open`.
 */
export function withMoment(
  ctx: Context,
  definition: ServedService['definition'],
  create: (ctx: Context) => object,
): object {
  const present = create(ctx) as Handlers
  const past = new WeakMap<DocumentStore, Handlers>()
  const handlersOf = ({ documents }: OpenMoment): Handlers => {
    if (documents === ctx.documents) return present
    const known = past.get(documents) ?? (create({ ...ctx, documents }) as Handlers)
    past.set(documents, known)
    return known
  }
  const served: Record<string, Handler> = {}
  for (const [name, now] of Object.entries(present)) {
    const handle = now.bind(present)
    const then = definition[name]?.responseStream ? streamPast : readPast
    const withoutFile = small[name]
    served[name] = (request, call) => {
      const moment = request.options?.asOf ?? request.asOf
      if (moment === undefined) return handle(request, call)
      const of = { request, call, moment, withoutFile }
      return then(ctx, of, (opened) => handlersOf(opened)[name] ?? handle)
    }
  }
  return served
}

/** Answers a call for a former moment, given by its position in the log; undefined where that needs a file of the moment. */
type ReadWithoutFile = (
  ctx: Context,
  request: never,
  call: ServerCall,
  seq: number,
) => Promise<AsyncGenerator<unknown, void> | undefined>

/** Small reads that need no file of the moment, by RPC. */
const small: Readonly<Record<string, ReadWithoutFile>> = { readRecords: formerRecords }

/** A call that reads the past. */
interface PastCall {
  readonly request: MomentRequest
  readonly call: ServerCall
  readonly moment: Moment
  readonly withoutFile: ReadWithoutFile | undefined
}

async function readPast(
  ctx: Context,
  of: PastCall,
  choose: (opened: OpenMoment) => Handler,
): Promise<unknown> {
  using opened = await open(ctx, of)
  const answer = await choose(opened)(...inPast(of, opened))
  return isLater(answer, opened) ? readPast(ctx, pinned(of, opened), choose) : answer
}

async function* streamPast(
  ctx: Context,
  of: PastCall,
  choose: (opened: OpenMoment) => Handler,
): AsyncGenerator<unknown> {
  const former = await readWithoutFile(ctx, of)
  if (former) return yield* former
  using opened = await open(ctx, of)
  let isLate = false
  for await (const part of choose(opened)(...inPast(of, opened)) as AsyncIterable<unknown>) {
    isLate = isLater(part, opened)
    if (isLate) break
    yield part
  }
  if (isLate) yield* streamPast(ctx, pinned(of, opened), choose)
}

async function readWithoutFile(ctx: Context, of: PastCall) {
  if (!of.withoutFile) return undefined
  const { request, call, moment } = of
  requirePastAccess(ctx, of)
  const seq = ctx.past.findWithoutFile(request.docId, moment)
  return seq === undefined ? undefined : of.withoutFile(ctx, request as never, call, seq)
}

/**
 * True when an answer shows a later moment: the latest moment is read from the present document, and is a former one once the
 * document has been written. Only the first message of a stream has the tag.
 */
function isLater(answer: unknown, { seq }: OpenMoment): boolean {
  const { etag } = answer as { readonly etag?: string }
  return etag !== undefined && Number(/\.(\d+)~?$/.exec(etag)?.[1]) > seq
}

function pinned(of: PastCall, { seq }: OpenMoment): PastCall {
  return { ...of, moment: seqMoment(seq) }
}

function open(ctx: Context, of: PastCall): Promise<OpenMoment> {
  const { request, call, moment } = of
  requirePastAccess(ctx, of)
  const { signal } = call
  return ctx.past.open(request.docId, moment, { userId: call.caller.userId, signal })
}

function requirePastAccess(ctx: Context, { request, call }: PastCall): void {
  requireDocument(ctx, call, request.docId, 'viewers')
  if (!roleAtLeast(call.caller.role, 'editors'))
    throw new AppError(
      'forbidden',
      'PAST_ACCESS_DENIED',
      'only editors and owners of a document can read it as of a former moment',
    )
}

/** The same call for the document in the store of the past, with the same access. */
function inPast({ request, call }: PastCall, { docId }: OpenMoment): [MomentRequest, ServerCall] {
  const { options } = request
  return [
    {
      ...request,
      docId,
      asOf: undefined,
      ...(options && { options: { ...options, asOf: undefined } }),
    },
    Object.create(call, { caller: { value: { ...call.caller, docId } } }) as ServerCall,
  ]
}
