import { SystemTokenSource } from '@sheaf/auth/system-token'
import { openChannel } from '@sheaf/kit/grpc/client'
import { openWith } from '@sheaf/kit/lifecycle'
import type { Logger } from '@sheaf/kit/logger'
import { AccessCache } from './access/access-cache'
import { AccessLease } from './access/access-lease'
import type { GatewayConfig } from './config'
import { createDirectoryClients, type DirectoryClients } from './clients/directory-clients'
import { createHomeChannels, type HomeChannels } from './clients/document-data-channels'
import { Load } from './limits/load'
import { RateLimits } from './limits/rate-limits'
import { Readiness } from './clients/readiness'
import { SignIn } from './sign-in/sign-in'
import { createWebhookClients, type WebhookClients } from './clients/webhook-clients'

/** The description of the API, as an OpenAPI document and as a page. */
export interface ApiPages {
  /** The OpenAPI document. */
  readonly json: Buffer
  /** The same as HTML. */
  readonly html: Buffer
  /** Content-Security-Policy of the page: its own style, and nothing else. */
  readonly policy: string
}

/** Listings of a large site come in one message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** What the gateway has open while it runs. */
export interface Context extends AsyncDisposable {
  readonly config: GatewayConfig
  readonly log: Logger
  readonly access: AccessCache
  readonly directory: DirectoryClients
  readonly homes: HomeChannels
  readonly webhook: WebhookClients
  readonly readiness: Readiness
  /** The gateway's own tokens, for what only Sheaf itself may ask. */
  readonly system: SystemTokenSource
  /** What is in hand, and whether there is room for more. */
  readonly load: Load
  /** What each caller may ask for in a minute. */
  readonly rates: RateLimits
  /** How people sign in. */
  readonly signIn: SignIn
  /** The description of the API, as JSON and as a page; made when it is first asked for, since it takes long and much memory. */
  readonly describeApi: () => ApiPages
  /** True once the gateway was asked to stop. */
  isDraining(): boolean
  /** Says that the gateway was asked to stop. */
  drain(): void
}

/** Opens what the gateway needs. Resolves at once: services that do not answer yet are waited for request by request. */
export function openContext(
  config: GatewayConfig,
  log: Logger,
  describeApi: () => ApiPages,
): Promise<Context> {
  return openWith(async (closer) => {
    const { directoryAddress: address, webhookAddress, tls } = config
    const options = { maxMessageBytes: MAX_MESSAGE_BYTES, multiplexed: true, tls }
    const channel = closer.use(openChannel({ address, ...options }))
    const directory = createDirectoryClients(channel)
    const { access } = directory
    const system = new SystemTokenSource(access, config.serviceKey)
    const lease = closer.use(new AccessLease(access, system, log))
    lease.start()
    const homes = closer.use(createHomeChannels(tls))
    const webhook = closer.use(openChannel({ address: webhookAddress, ...options }))
    const readiness = new Readiness({
      directory: channel,
      webhook,
      homes,
      list: directory.homes,
      system,
    })
    const signIn = closer.use(new SignIn(config, { sessions: directory.sessions, system, log }))
    let isDraining = false
    return {
      config,
      log,
      access: new AccessCache(access, lease),
      directory,
      homes,
      webhook: createWebhookClients(webhook),
      readiness,
      system,
      load: new Load(config.limits),
      rates: new RateLimits(config.rateLimit),
      signIn,
      describeApi,
      isDraining: () => isDraining,
      drain: () => (isDraining = true),
      [Symbol.asyncDispose]: () => closer.close(),
    }
  })
}
