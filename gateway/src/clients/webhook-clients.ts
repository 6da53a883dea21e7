import type { GrpcChannel } from '@sheaf/kit/grpc/client'
import {
  DeliveriesServiceClientImpl,
  type DeliveriesService,
} from '@sheaf/protos/sheaf/webhook/v1/deliveries'
import {
  WebhooksServiceClientImpl,
  type WebhooksService,
} from '@sheaf/protos/sheaf/webhook/v1/webhooks'

/** Clients of webhook. */
export interface WebhookClients {
  readonly deliveries: DeliveriesService
  readonly webhooks: WebhooksService
}

/** Creates clients that share a channel. */
export function createWebhookClients(channel: GrpcChannel): WebhookClients {
  return {
    deliveries: new DeliveriesServiceClientImpl(channel),
    webhooks: new WebhooksServiceClientImpl(channel),
  }
}
