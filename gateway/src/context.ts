import { SystemTokenSource } from '@sheaf/auth/system-token'
import { openChannel } from '@sheaf/kit/grpc/client'
import { openWith } from '@sheaf/kit/lifecycle'
import { createRequestLogger, type Logger } from '@sheaf/kit/logger'
import { AccessCache } from './access/access-cache'
import { AccessLease } from './access/access-lease'
import { LeasedCache } from './access/leased-cache'
import type { GatewayConfig } from './config'
import { createDirectoryClients, type DirectoryClients } from './clients/directory-clients'
import {
  createDocumentDataChannels,
  type DocumentDataChannels,
} from './clients/document-data-channels'
import { Load } from './limits/load'
import { RateLimits } from './limits/rate-limits'
import { Readiness } from './clients/readiness'
import { SignIn } from './sign-in/sign-in'
import { createWebhookClients, type WebhookClients } from './clients/webhook-clients'

/** The API description, as an OpenAPI document and as a page. */
export interface ApiPages {
  /** Returns the OpenAPI document for clients that reach Sheaf at this origin. */
  json(origin: string): Buffer
  /** The OpenAPI document as an HTML page. */
  readonly html: Buffer
  /** Content-Security-Policy of the page; permits its inline style only. */
  readonly policy: string
}

/** Listings of a large site are returned in one message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** For the time of the last change of contents, which is not announced to gateways. */
const AGE_MS = 3_000
/** A listing of 1,000 documents has 210 KB. */
const MAX_LISTINGS = { entries: 1_000, bytes: 8 * 1024 * 1024, ageMs: AGE_MS }
/** A description has about a kilobyte. */
const MAX_DESCRIPTIONS = { entries: 10_000, bytes: 8 * 1024 * 1024, ageMs: AGE_MS }

/** The JSON of a listing of workspaces, and the state of the site by which directory knows whether something was added. */
export interface WorkspaceListing {
  readonly json: Buffer
  readonly state: string
}

/** Resources that the gateway holds while it runs. */
export interface Context extends AsyncDisposable {
  readonly config: GatewayConfig
  readonly log: Logger
  /** For the line of each request. */
  readonly requestLog: Logger
  readonly access: AccessCache
  /** Descriptions of documents, as JSON: see document-description.ts. */
  readonly descriptions: LeasedCache<Buffer>
  /** Listings of the workspaces of sites: see workspace-listing.ts. */
  readonly listings: LeasedCache<WorkspaceListing>
  readonly directory: DirectoryClients
  readonly documentData: DocumentDataChannels
  readonly webhook: WebhookClients
  readonly readiness: Readiness
  /** The gateway's own tokens, for what only Sheaf itself may ask. */
  readonly system: SystemTokenSource
  /** What is in hand, and whether there is room for more. */
  readonly load: Load
  /** Rate limits for each caller. */
  readonly rates: RateLimits
  /** How users sign in. */
  readonly signIn: SignIn
  /**
   * Returns the API description as JSON and as a page; generated on first use, since that takes much time and
   * memory.
   */
  readonly describeApi: () => ApiPages
  /** True once the gateway has been asked to stop. */
  isDraining(): boolean
  /** Marks the gateway as stopping. */
  drain(): void
}

/**
 * Opens the resources of the gateway. Resolves at once: requests wait for services that do not respond yet.
 */
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
    const documentData = closer.use(createDocumentDataChannels(tls))
    const onEndedHome = (address: string) => documentData.abort(address)
    const lease = closer.use(new AccessLease(access, system, log, onEndedHome))
    lease.start()
    const webhook = closer.use(openChannel({ address: webhookAddress, ...options }))
    const readiness = new Readiness({
      directory: channel,
      webhook,
      documentData,
      homes: directory.homes,
      system,
    })
    const signIn = closer.use(new SignIn(config, { sessions: directory.sessions, system, log }))
    const verify = async (accessToken: string) => {
      if (!signIn.resource) throw new Error('an access token without an identity provider')
      return { ...(await signIn.resource.verify(accessToken)), serviceKey: config.serviceKey }
    }
    let isDraining = false
    return {
      config,
      log,
      requestLog: createRequestLogger('gateway'),
      access: new AccessCache(access, lease, verify),
      listings: new LeasedCache(lease, { ...MAX_LISTINGS, sizeOf: ({ json }) => json.length }),
      descriptions: new LeasedCache(lease, { ...MAX_DESCRIPTIONS, sizeOf: ({ length }) => length }),
      directory,
      documentData,
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
