import { requireDocumentRole } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  DeliveriesService,
  ReplayDeliveriesRequest,
  ReplayDeliveriesResponse,
} from '@sheaf/protos/sheaf/webhook/v1/deliveries'
import { replay, type ReplayFrom } from '../changes/replay'
import type { Context } from '../context'
import { requireRef } from '../db/webhook-ref'

/** Replays past events, for owners of the document. */
export const replayDeliveries = (ctx: Context): Pick<DeliveriesService, 'replayDeliveries'> => ({
  async replayDeliveries(
    request: ReplayDeliveriesRequest,
    call: ServerCall,
  ): Promise<ReplayDeliveriesResponse> {
    requireDocumentRole(call, request.docId, 'owners')
    const replayed = await replay(ctx, requireRef(request), readFrom(request), call.signal)
    if (replayed.queued > 0) ctx.notifier.deliver()
    return replayed
  },
})

function readFrom({ from }: ReplayDeliveriesRequest): ReplayFrom {
  if (from === undefined) throw badFrom('after_seq or since_ms is required')
  if (from.value < 0) throw badFrom('after_seq and since_ms must not be negative')
  return from.$case === 'afterSeq' ? { afterSeq: from.value } : { sinceMs: from.value }
}

const badFrom = (message: string) => new AppError('invalid', 'BAD_FIELD', message)
