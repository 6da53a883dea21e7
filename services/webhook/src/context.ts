import { createDirectoryVerifier, type TokenVerifier } from '@sheaf/auth/caller-token'
import { migrate, openDatabase } from '@sheaf/kit/postgres/database'
import { openChannel } from '@sheaf/kit/grpc/client'
import type { Closer } from '@sheaf/kit/lifecycle'
import { createLogger, type Logger } from '@sheaf/kit/logger'
import { AccessServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/access'
import type { Kysely } from 'kysely'
import type { WebhookConfig } from './config'
import type { QueueLimits } from './db/events'
import { migrations } from './db/migrations/index'
import type { WebhookSchema } from './db/schema'
import { DocumentCalls } from './document-calls'
import { Poster } from './targets/post'
import type { Resolve } from './targets/resolve'
import { Notifier } from './notifier'

/** The service's own PostgreSQL schema. */
const SCHEMA = 'webhook'

/** What handlers work with. */
export interface Context {
  readonly log: Logger
  readonly db: Kysely<WebhookSchema>
  readonly verifier: TokenVerifier
  /** Calls document-data on behalf of Sheaf itself. */
  readonly documentCalls: Pick<DocumentCalls, 'run'>
  readonly notifier: Notifier
  /** Posts deliveries. */
  readonly poster: Poster
  /** Limits of the queue of one webhook. */
  readonly queueLimits: QueueLimits
  /** Hosts that may have private addresses, from SHEAF_WEBHOOK_ALLOWED_HOSTS. */
  readonly allowedHosts: readonly string[]
}

/** Replacements for components that a test does not run. */
export interface Overrides {
  /** Verifies caller tokens instead of directory's keys. */
  readonly verifier?: TokenVerifier
  /** A fake document-data. */
  readonly documentCalls?: Pick<DocumentCalls, 'run'>
  /** Resolves host names instead of DNS. */
  readonly resolve?: Resolve
}

/** Options for opening the context. */
export interface OpenOptions extends Overrides {
  /** Called whenever PostgreSQL turns out to be unreachable. */
  readonly onUnavailable: () => void
}

/**
 * Opens the resources of the service; `closer` closes them. Does not wait for directory. Throws when
 * PostgreSQL is unreachable or its schema is newer.
 */
export async function openContext(
  config: WebhookConfig,
  closer: Closer,
  { verifier, documentCalls, resolve, onUnavailable }: OpenOptions,
): Promise<Context> {
  const log = createLogger('webhook')
  const url = config.databaseUrl
  const db = closer.use(openDatabase<WebhookSchema>({ url, schema: SCHEMA, log, onUnavailable }))
  await migrate(db, SCHEMA, migrations)
  const directory = closer.use(openChannel({ address: config.directoryAddress, tls: config.tls }))
  const access = new AccessServiceClientImpl(directory)
  const calls = closer.use(new DocumentCalls(access, config.serviceKey, config.tls))
  const poster = new Poster({ allowedHosts: config.allowedHosts, resolve })
  closer.defer(() => poster[Symbol.dispose]())
  return {
    log,
    db,
    poster,
    verifier: verifier ?? createDirectoryVerifier(access),
    documentCalls: documentCalls ?? calls,
    notifier: new Notifier(),
    queueLimits: { events: config.queueEvents, bytes: config.queueBytes },
    allowedHosts: config.allowedHosts,
  }
}
