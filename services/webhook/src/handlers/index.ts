import { serve, type ServedService } from '@sheaf/kit/grpc/server'
import { BackupServiceService } from '@sheaf/protos/sheaf/webhook/v1/backup'
import { DeliveriesServiceService } from '@sheaf/protos/sheaf/webhook/v1/deliveries'
import { DocumentsServiceService } from '@sheaf/protos/sheaf/webhook/v1/documents'
import { WebhooksServiceService } from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import type { Context } from '../context'
import { backup } from './backup'
import { deliveries } from './deliveries'
import { documents } from './documents'
import { replayDeliveries } from './replay-deliveries'
import { webhooks } from './webhooks'

/** All services of webhook with their handlers. */
export function createServices(ctx: Context): ServedService[] {
  return [
    serve(BackupServiceService, backup(ctx)),
    serve(DocumentsServiceService, documents(ctx)),
    serve(DeliveriesServiceService, { ...deliveries(ctx), ...replayDeliveries(ctx) }),
    serve(WebhooksServiceService, webhooks(ctx)),
  ]
}
