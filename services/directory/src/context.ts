import {
  createTokenSigner,
  createTokenVerifier,
  generateSigningKey,
  type SigningKey,
  type TokenSigner,
  type TokenVerifier,
} from '@sheaf/auth/caller-token'
import { migrate, openDatabase, withSearchPath } from '@sheaf/kit/postgres/database'
import type { Closer } from '@sheaf/kit/lifecycle'
import { createLogger, type Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import type { JSONWebKeySet } from 'jose'
import type { DirectoryConfig, SessionLimits } from './config'
import { migrations } from './db/migrations/index'
import type { DirectorySchema } from './db/schema'
import { ensureSigningKeys, type StoredKey } from './db/signing-keys'
import { CredentialUse, KeyDocumentUse } from './credential-use'
import { openLeases, type Leases } from './leases/open-leases'
import { Outbox } from './outbox/outbox'

/** The service's own PostgreSQL schema. */
const SCHEMA = 'directory'

/** Resources that handlers use. */
export interface Context extends Leases {
  readonly log: Logger
  readonly db: Kysely<DirectorySchema>
  readonly keyUse: CredentialUse
  readonly sessionUse: CredentialUse
  readonly keyDocuments: KeyDocumentUse
  /** Lifetimes of sessions. */
  readonly sessions: SessionLimits
  /** Notifies other services of deletions; call `wake` after one. */
  readonly outbox: Outbox
  readonly signer: TokenSigner
  readonly verifier: TokenVerifier
  /** The public keys that verify caller tokens. */
  readonly jwks: JSONWebKeySet
  readonly serviceKey: string
  /** Days for which deleted documents are listed. */
  readonly keptDays: number
}

/**
 * Opens the resources of the service; `closer` closes them. Throws when PostgreSQL is unreachable or its
 * schema is newer.
 * @param onUnavailable called whenever PostgreSQL turns out to be unreachable
 */
export async function openContext(
  config: DirectoryConfig,
  closer: Closer,
  onUnavailable: () => void,
): Promise<Context> {
  const log = createLogger('directory')
  const db = closer.use(
    openDatabase<DirectorySchema>({
      url: config.databaseUrl,
      schema: SCHEMA,
      log,
      maxConnections: config.databaseConnections,
      maxWaiting: config.databaseWaiting,
      onUnavailable,
    }),
  )
  await migrate(db, SCHEMA, migrations)
  const [newest, ...older] = await ensureSigningKeys(db, async () =>
    storeKey(await generateSigningKey()),
  )
  const jwks: JSONWebKeySet = {
    keys: [newest, ...older].map((key) => readKey(key).publicJwk),
  }
  const url = withSearchPath(config.databaseUrl, SCHEMA)
  const leases = await openLeases(db, url, { closer, log })
  const signer = await createTokenSigner(readKey(newest))
  const { webhookAddress, tls, natsUrl, events } = config
  return {
    log,
    db,
    ...leases,
    keyUse: closer.use(CredentialUse.ofKeys(db, log)),
    sessionUse: closer.use(CredentialUse.ofSessions(db, log)),
    keyDocuments: closer.use(new KeyDocumentUse(db, log)),
    sessions: config.sessions,
    outbox: closer.use(
      new Outbox(
        db,
        { signer, webhookAddress, tls, events: { natsUrl, limits: events, log } },
        log,
      ),
    ),
    signer,
    verifier: createTokenVerifier(() => Promise.resolve(jwks)),
    jwks,
    serviceKey: config.serviceKey,
    keptDays: config.keptDays,
  }
}

function storeKey({ kid, privateJwk, publicJwk }: SigningKey): StoredKey {
  return { kid, privateJwk: JSON.stringify(privateJwk), publicJwk: JSON.stringify(publicJwk) }
}

function readKey({ kid, privateJwk, publicJwk }: StoredKey): SigningKey {
  return {
    kid,
    privateJwk: JSON.parse(privateJwk) as SigningKey['privateJwk'],
    publicJwk: JSON.parse(publicJwk) as SigningKey['publicJwk'],
  }
}
