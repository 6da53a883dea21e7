import { EnvReader, type Env } from '@sheaf/kit/config'
import { readTlsFiles, type TlsFiles } from '@sheaf/kit/tls'
import type { LoadLimits } from './limits/load'
import type { MailSettings } from './sign-in/mailer'
import type { OidcSettings } from './sign-in/oidc'

const MIB = 1024 * 1024
/** document-data accepts bodies up to this size. */
const MOST_BODY_MB = 48
/** More than one machine serves: it stops runaway clients and does not limit regular use. */
const DEFAULT_RATE_LIMIT = 600_000
const MOST_RATE_LIMIT = 1_000_000_000

/** Time limits of the stages of a request, in milliseconds. */
export interface Timeouts {
  /** Receiving the request line and the headers. */
  readonly headersMs: number
  /** Receiving the whole request. */
  readonly receiveMs: number
  /** How long an idle connection is kept open. */
  readonly keepAliveMs: number
  /** From the first byte of a request to the last byte of its response. */
  readonly requestMs: number
  /** The same for routes that stream a table. */
  readonly streamMs: number
  /** How long a client may send nothing of its body. */
  readonly stallMs: number
  /** How long a client may take to read a part of a streamed response, or its end. */
  readonly unreadMs: number
  /** How long a call is repeated while its document has no home that accepts it. */
  readonly failoverMs: number
  /**
   * How long the gateway continues to accept requests after a stop signal, while it reports that it is not
   * ready and closes kept-alive connections.
   */
  readonly leaveMs: number
  /** How long running requests may continue after that. */
  readonly drainMs: number
}

/** Settings of the gateway. */
export interface GatewayConfig {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** `host:port` of directory. */
  readonly directoryAddress: string
  /** `host:port` of webhook. */
  readonly webhookAddress: string
  /** Secret that the processes of one Sheaf share. */
  readonly serviceKey: string
  /** Certificates for calls between the processes; plain text without. */
  readonly tls?: TlsFiles
  /** Largest request body, in bytes. */
  readonly maxBodyBytes: number
  /** Domain whose subdomains are sites; undefined when sites are addressed by path only. */
  readonly baseDomain?: string
  /** Origins whose pages may call the API with a key. */
  readonly allowedOrigins: readonly string[]
  readonly timeouts: Timeouts
  /** Load limits; requests beyond them are rejected. */
  readonly limits: LoadLimits
  /** Requests per minute for each key, and for each client address without a key; 0 for no limit. */
  readonly rateLimit: number
  /** Trusted proxies in front of the gateway; each appends the address of its client to X-Forwarded-For. */
  readonly proxies: number
  /** Public scheme, host and port of this Sheaf; required for links in mails and for OIDC. */
  readonly publicUrl?: string
  /** The identity provider for signing in. */
  readonly oidc?: OidcSettings
  /** How mails are sent. */
  readonly mail?: MailSettings
}

/** Leaves, with `drainMs`, less than the 30 s within which a process must stop. */
const MOST_LEAVE_SECONDS = 15

/** The default load limits. */
export const defaultLimits: LoadLimits = {
  requests: 5_000,
  bodyBytes: 384 * MIB,
  // Each polls document-data every few seconds.
  changeStreams: 800,
}

/** The default time limits. */
export const defaultTimeouts: Timeouts = {
  headersMs: 20_000,
  receiveMs: 120_000,
  // Above the 60 s after which common load balancers drop idle connections, so that the load balancer closes
  // first.
  keepAliveMs: 65_000,
  requestMs: 60_000,
  streamMs: 600_000,
  stallMs: 60_000,
  unreadMs: 30_000,
  // The lease of an instance lasts 2 s, and a document of 100 MB is opened within 3 s.
  failoverMs: 10_000,
  leaveMs: 0,
  drainMs: 10_000,
}

/** Reads the settings. Throws ConfigError naming every fault; `warn` receives a sentence for each former name. */
export function readConfig(env: Env, warn?: (sentence: string) => void): GatewayConfig {
  const read = new EnvReader(env, warn)
  const seconds = (name: string, fallbackMs: number) =>
    read.int(name, fallbackMs / 1000, { min: 1, max: 86_400 }) * 1000
  return read.done({
    ...readSignIn(read),
    host: read.str('SHEAF_HOST', '127.0.0.1'),
    port: read.int('SHEAF_PORT', 8484, { max: 65_535 }),
    directoryAddress: read.str('SHEAF_DIRECTORY_ADDRESS', '127.0.0.1:8485'),
    webhookAddress: read.str('SHEAF_WEBHOOK_ADDRESS', '127.0.0.1:8487'),
    serviceKey: read.secret('SHEAF_SERVICE_KEY'),
    tls: readTlsFiles(read),
    maxBodyBytes: read.int('SHEAF_MAX_BODY_MB', 32, { min: 1, max: MOST_BODY_MB }) * MIB,
    baseDomain: read.optional('SHEAF_BASE_DOMAIN')?.toLowerCase().replace(/^\./, ''),
    allowedOrigins: readOrigins(read),
    limits: {
      requests: read.int('SHEAF_PENDING_REQUESTS', defaultLimits.requests, { min: 1 }),
      bodyBytes:
        read.int(
          read.renamed('SHEAF_PENDING_BODY_MB', 'SHEAF_PENDING_REQUESTS_MB'),
          defaultLimits.bodyBytes / MIB,
          { min: 1 },
        ) * MIB,
      changeStreams: read.int('SHEAF_CHANGE_STREAMS', defaultLimits.changeStreams, {
        min: 2,
        max: 10_000,
      }),
    },
    rateLimit: read.int('SHEAF_RATE_LIMIT', DEFAULT_RATE_LIMIT, { max: MOST_RATE_LIMIT }),
    proxies: read.int('SHEAF_PROXIES', 0, { max: 10 }),
    timeouts: {
      ...defaultTimeouts,
      requestMs: seconds('SHEAF_REQUEST_TIMEOUT_SECONDS', defaultTimeouts.requestMs),
      streamMs: seconds('SHEAF_STREAM_TIMEOUT_SECONDS', defaultTimeouts.streamMs),
      leaveMs: read.int('SHEAF_LEAVE_SECONDS', 0, { max: MOST_LEAVE_SECONDS }) * 1000,
    },
  })
}

/** The origins as browsers send them: without a path, and without the default port. */
function readOrigins(read: EnvReader): string[] {
  const isOrigin = (text: string) =>
    URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).pathname === '/'
  return read.list('SHEAF_ALLOWED_ORIGINS', [], isOrigin).map((text) => new URL(text).origin)
}

/** Reads how users sign in. Reads all settings in any case, and names the ones that another one requires. */
function readSignIn(read: EnvReader): Pick<GatewayConfig, 'publicUrl' | 'oidc' | 'mail'> {
  const publicUrl = read.optionalUrl('SHEAF_PUBLIC_URL', ['https', 'http'])
  const issuer = read.optionalUrl('SHEAF_OIDC_ISSUER', ['https', 'http'])
  const clientId = read.optional('SHEAF_OIDC_CLIENT_ID')
  const clientSecret = read.optionalSecret('SHEAF_OIDC_CLIENT_SECRET')
  const maySignUp = read.bool('SHEAF_OIDC_SIGN_UP', true)
  const smtp = read.optionalSecret('SHEAF_SMTP_URL')
  const smtpUrl = read.optionalUrl('SHEAF_SMTP_URL', ['smtp', 'smtps'], smtp)
  const from = read.optional('SHEAF_MAIL_FROM')
  const needs = (name: string, value = '') => (value === '' ? read.str(name) : value)
  const base = (issuer ?? smtpUrl) ? needs('SHEAF_PUBLIC_URL', publicUrl) : publicUrl
  return {
    publicUrl: base && new URL(base).origin,
    oidc:
      issuer === undefined
        ? undefined
        : { issuer, clientId: needs('SHEAF_OIDC_CLIENT_ID', clientId), clientSecret, maySignUp },
    mail: smtpUrl === undefined ? undefined : { smtpUrl, from: needs('SHEAF_MAIL_FROM', from) },
  }
}
