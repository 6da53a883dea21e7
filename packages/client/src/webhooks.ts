import type { CallOptions } from './call-options.ts'
import type { Call, Connection } from './connection.ts'
import type {
  NewWebhook,
  Webhook,
  WebhookDelivery,
  WebhookReplay,
  WebhookSecrets,
  WebhookUpdate,
} from './resources.ts'

/** Deliveries of one request. */
const PAGE_DELIVERIES = 100

/** Which deliveries of a webhook are read. */
export interface DeliverySelection extends CallOptions {
  /** Only deliveries before the one of this id. */
  readonly before?: string
  /** Maximum number of deliveries; all by default. */
  readonly limit?: number
}

/**
 * The webhooks of a document, for its owners. They are not part of the document: their calls have no idempotency keys and no dry
 * run, and those that are not safe to repeat are repeated only if they were never begun.
 */
export class Webhooks {
  readonly #connection: Connection
  readonly #path: string

  /** @internal */
  constructor(connection: Connection, documentPath: string) {
    this.#connection = connection
    this.#path = `${documentPath}/webhooks`
  }

  /** Lists the webhooks with the state of their queues, in order of creation. */
  async list(options?: CallOptions): Promise<Webhook[]> {
    const call: Call = { method: 'GET', path: this.#path }
    return (await this.#connection.json<{ webhooks: Webhook[] }>(call, options)).webhooks
  }

  /**
   * Creates webhooks, all or none, for changes from now on. Resolves to their ids in order.
   *
   * ```ts
   * const url = 'https://example.com/people'
   * const [id] = await doc.webhooks.create([{ url, tableId: 'People', eventTypes: ['add', 'update'] }])
   * ```
   */
  async create(webhooks: readonly NewWebhook[], options?: CallOptions): Promise<string[]> {
    const json = { webhooks: webhooks.map((fields) => ({ fields })) }
    const call: Call = { method: 'POST', path: this.#path, json }
    const { webhooks: created } = await this.#change<{ webhooks: { id: string }[] }>(call, options)
    return created.map(({ id }) => id)
  }

  /** Changes the given fields of a webhook. `enabled: false` discards what it has still to send. */
  async update(id: string, json: WebhookUpdate, options?: CallOptions): Promise<void> {
    await this.#change({ method: 'PATCH', path: this.#pathOf(id), json }, options)
  }

  /** Deletes a webhook with its queue and the log of its deliveries. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#change({ method: 'DELETE', path: this.#pathOf(id) }, options)
  }

  /** Discards the events that a webhook has still to send. */
  async clearQueue(id: string, options?: CallOptions): Promise<void> {
    await this.#change({ method: 'DELETE', path: this.#pathOf(id, 'queue') }, options)
  }

  /** Discards the events that the webhooks of the document have still to send. */
  async clearQueues(options?: CallOptions): Promise<void> {
    await this.#change({ method: 'DELETE', path: `${this.#path}/queue` }, options)
  }

  /** Resolves to the secret that signs deliveries, and the previous one while it is valid. */
  secrets(id: string, options?: CallOptions): Promise<WebhookSecrets> {
    return this.#connection.json({ method: 'GET', path: this.#pathOf(id, 'secret') }, options)
  }

  /** Makes a new secret and resolves to it. The previous one signs deliveries as well for 24 hours. */
  async rotateSecret(id: string, options?: CallOptions): Promise<string> {
    const call: Call = { method: 'POST', path: this.#pathOf(id, 'secret') }
    return (await this.#change<{ secret: string }>(call, options)).secret
  }

  /** Queues a test event, also of a disabled webhook. Resolves to the id of its delivery. */
  async test(id: string, options?: CallOptions): Promise<string> {
    const call: Call = { method: 'POST', path: this.#pathOf(id, 'test') }
    return (await this.#change<{ deliveryId: string }>(call, options)).deliveryId
  }

  /**
   * Queues the events of past changes again: of those after `since`, or from `sinceTime` on. `nextSeq` is `since` of the next call if
   * more may remain. ConflictError if the log does not reach back that far, or the webhook is disabled.
   */
  replay(
    id: string,
    from: { readonly since: number } | { readonly sinceTime: string },
    options?: CallOptions,
  ): Promise<WebhookReplay> {
    return this.#change({ method: 'POST', path: this.#pathOf(id, 'replay'), json: from }, options)
  }

  /** Yields the deliveries of the last 30 days, newest first, at most 1,000. */
  async *deliveries(
    id: string,
    { before, limit = Infinity, ...options }: DeliverySelection = {},
  ): AsyncGenerator<WebhookDelivery, void, undefined> {
    const path = this.#pathOf(id, 'deliveries')
    let last = before
    for (let left = limit; left > 0;) {
      const asked = Math.min(PAGE_DELIVERIES, left)
      const call: Call = { method: 'GET', path, query: { before: last, limit: asked } }
      const page = await this.#connection.json<{ deliveries: WebhookDelivery[] }>(call, options)
      yield* page.deliveries
      if (page.deliveries.length < asked) return
      last = page.deliveries.at(-1)?.id
      left -= asked
    }
  }

  /** Resolves to a delivery: the one of a test until it is sent, for example. */
  delivery(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery> {
    const path = this.#pathOf(id, `deliveries/${encodeURIComponent(deliveryId)}`)
    return this.#connection.json({ method: 'GET', path }, options)
  }

  /** Sends a delivery again, with its body, before the queue. ConflictError if it is queued already, or its body is no longer kept. */
  async redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<void> {
    const delivery = `deliveries/${encodeURIComponent(deliveryId)}/redeliver`
    await this.#change({ method: 'POST', path: this.#pathOf(id, delivery) }, options)
  }

  #pathOf(id: string, part?: string): string {
    return `${this.#path}/${encodeURIComponent(id)}${part === undefined ? '' : `/${part}`}`
  }

  /** As a write, so that a dry run refuses it. */
  async #change<T>(call: Call, options?: CallOptions): Promise<T> {
    const { value } = await this.#connection.write<T>(call, { ...options, idempotencyKey: false })
    return value
  }
}
