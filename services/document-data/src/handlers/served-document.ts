import { serve, type ServedService } from '@sheaf/kit/grpc/server'
import type { Context } from '../context'
import { withAdmission } from './with-admission'
import { withDocument } from './with-document'

type ServedContext = Pick<Context, 'admission' | 'documents' | 'home'>

/** Serves handlers of calls on documents. */
export function serveDocument(
  ctx: ServedContext,
  definition: ServedService['definition'],
  handlers: object,
): ServedService {
  return serve(definition, withDocument(ctx, definition, handlers))
}

/** Serves handlers of calls on documents, with admission control. */
export function serveAdmitted(
  ctx: ServedContext,
  definition: ServedService['definition'],
  handlers: object,
): ServedService {
  const ready = withDocument(ctx, definition, handlers)
  return serve(definition, withAdmission(ctx.admission, definition, ready))
}
