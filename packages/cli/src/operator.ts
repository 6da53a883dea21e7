import { SystemTokenSource } from '@sheaf/auth/system-token'
import { toAppError } from '@sheaf/kit/errors'
import { openChannel } from '@sheaf/kit/grpc/client'
import type { TlsFiles } from '@sheaf/kit/tls'
import { AccessServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/access'
import { HomesServiceClientImpl, type HomeDocument } from '@sheaf/protos/sheaf/directory/v1/homes'
import {
  KeysServiceClientImpl,
  type ApiKey,
  type KeyScope,
} from '@sheaf/protos/sheaf/directory/v1/keys'
import { LinkOrigin, SessionsServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/sessions'
import { UsersServiceClientImpl, type User } from '@sheaf/protos/sheaf/directory/v1/users'
import { CliError } from './cli-error'

/** The address of directory, and the secret for operator access. */
export interface OperatorTarget {
  readonly directoryAddress: string
  readonly serviceKey: string
  /** Certificates for calls; plain text without. */
  readonly tls?: TlsFiles
}

/** A new key with its secret, and its stored metadata. */
export interface NewKey {
  readonly key: string
  readonly apiKey: ApiKey
}

/** Options of a new key. */
export interface KeyOptions {
  readonly name?: string
  /** ISO 8601; absent for never. */
  readonly expiresAt?: string
  readonly scope?: KeyScope
  /** Makes it the user's default key, unless they have one. */
  readonly mayBeDefault?: boolean
}

/** Operator access to users and keys. Its methods throw the AppError of directory. */
export interface Operator extends AsyncDisposable {
  /** Returns the user with this email; creates them with this name if needed. */
  ensureUser(email: string, name?: string): Promise<{ user: User; created: boolean }>
  /** Yields all users, by id. */
  listUsers(): AsyncGenerator<User>
  /** Returns the user with this email. Throws CliError when there is none. */
  getUser(email: string): Promise<User>
  /** Creates a key. Throws AppError when its scope names a place that the user cannot see. */
  createKey(userId: number, options?: KeyOptions): Promise<NewKey>
  listKeys(userId: number): Promise<ApiKey[]>
  /** Revokes the key with this id, prefix or full text. */
  revokeKey(idOrKey: string): Promise<ApiKey | undefined>
  /** Creates a one-time sign-in link for this user. Throws CliError when there is no such user. */
  createSignInLink(email: string): Promise<{ token: string; expiresAt: string }>
  /** Yields all documents of a document-data instance, by id, including unpublished ones. */
  listHomeDocuments(home: string): AsyncGenerator<HomeDocument>
}

/** Opens the operator's door; connects with the first call. */
export function openOperator({ directoryAddress, serviceKey, tls }: OperatorTarget): Operator {
  const channel = openChannel({ address: directoryAddress, tls })
  const access = new AccessServiceClientImpl(channel)
  const users = new UsersServiceClientImpl(channel)
  const keys = new KeysServiceClientImpl(channel)
  const homes = new HomesServiceClientImpl(channel)
  const sessions = new SessionsServiceClientImpl(channel)
  const asSystem = createSystemCall(access, serviceKey)

  async function* listUsers(): AsyncGenerator<User> {
    for (let afterId = 0; ;) {
      const page = await users.listUsers({ afterId, limit: 0 }, await asSystem())
      yield* page.users
      const last = page.users.at(-1)
      if (!last) return
      afterId = last.id
    }
  }

  return {
    listUsers,
    listHomeDocuments: (home) => listHomeDocuments(homes, home, asSystem),
    async ensureUser(email, name = '') {
      const { user, created } = await users.ensureUser({ email, name }, await asSystem())
      return { user: present(user), created }
    },
    async getUser(email) {
      for await (const user of listUsers()) {
        if (user.email === email.trim().toLowerCase()) return user
      }
      throw noUser(email)
    },
    async createKey(userId, { name = '', expiresAt = '', ...options } = {}) {
      const request = { userId, name, expiresAt, ...options }
      const { key, apiKey } = await keys.createKey(request, await asSystem())
      return { key, apiKey: present(apiKey) }
    },
    async listKeys(userId) {
      return (await keys.listKeys({ userId }, await asSystem())).apiKeys
    },
    async revokeKey(idOrKey) {
      const keyRef = /^\d+$/.test(idOrKey)
        ? ({ $case: 'keyId', value: Number(idOrKey) } as const)
        : ({ $case: 'key', value: idOrKey } as const)
      return (await keys.revokeKey({ keyRef }, await asSystem())).apiKey
    },
    async createSignInLink(email) {
      const request = { email: email.trim(), next: '', origin: LinkOrigin.OPERATOR }
      return sessions.createSignInLink(request, await asSystem()).catch((error: unknown) => {
        throw toAppError(error)?.code === 'not_found' ? noUser(email) : error
      })
    },
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  }
}

const noUser = (email: string) =>
  new CliError(`user not found: ${email}; create the user with "users create ${email}"`)

/** Returns a function that makes the context of a call on behalf of Sheaf itself. */
export function createSystemCall(
  access: AccessServiceClientImpl,
  serviceKey: string,
): () => Promise<{ token: string }> {
  const source = new SystemTokenSource(access, serviceKey)
  return async () => ({ token: await source.token() })
}

/** Yields all documents of an instance, by id, including unpublished ones. */
export async function* listHomeDocuments(
  homes: HomesServiceClientImpl,
  home: string,
  asSystem: () => Promise<{ token: string }>,
): AsyncGenerator<HomeDocument> {
  for (let afterId = 0; ;) {
    const { documents } = await homes.listHomeDocuments(
      { home, afterId, pinnedOnly: false },
      await asSystem(),
    )
    yield* documents
    const last = documents.at(-1)
    if (!last) return
    afterId = last.id
  }
}

/** Protobuf allows any message to be absent; directory always sets these. */
function present<T>(message: T | undefined): T {
  if (message === undefined) throw new Error('directory sent an incomplete answer')
  return message
}
