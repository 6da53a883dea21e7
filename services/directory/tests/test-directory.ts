import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc/client'
import { roleFromWire, roleToWire, type RoleName } from '@sheaf/auth/roles'
import type { CallContext } from '@sheaf/protos/call'
import { DOCUMENT_PROTOCOL } from '@sheaf/protos/protocol'
import {
  AccessServiceClientImpl,
  ResolveAccessRequest,
  type AccessResource,
  type ResolveAccessResponse,
  type Role,
} from '@sheaf/protos/sheaf/directory/v1/access'
import { DocumentsServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/documents'
import { FormsServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/forms'
import {
  HomesServiceClientImpl,
  ReportHomeRequest,
  type ReportHomeResponse,
} from '@sheaf/protos/sheaf/directory/v1/homes'
import { KeysServiceClientImpl, type KeyScope } from '@sheaf/protos/sheaf/directory/v1/keys'
import { OrgsServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { ProfileServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/profile'
import { SessionsServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/sessions'
import { UsersServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/users'
import { WorkspacesServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { createTestDatabase, testEngines } from '@sheaf/testkit/engines'
import { Pool } from 'pg'
import type { DirectoryConfig } from '../src/config'
import { startDirectory } from '../src/service'

export const SERVICE_KEY = 'a service key for tests'

/** A user of the tests with a key of their own. */
export interface TestUser {
  readonly id: number
  readonly email: string
  readonly key: string
}

export type Level = 'org' | 'workspace' | 'document'

/** Clients of one directory instance. */
export class Clients {
  readonly access: AccessServiceClientImpl
  readonly documents: DocumentsServiceClientImpl
  readonly forms: FormsServiceClientImpl
  readonly homes: HomesServiceClientImpl
  readonly keys: KeysServiceClientImpl
  readonly orgs: OrgsServiceClientImpl
  readonly profile: ProfileServiceClientImpl
  readonly sessions: SessionsServiceClientImpl
  readonly users: UsersServiceClientImpl
  readonly workspaces: WorkspacesServiceClientImpl

  constructor(readonly channel: GrpcChannel) {
    this.access = new AccessServiceClientImpl(channel)
    this.documents = new DocumentsServiceClientImpl(channel)
    this.forms = new FormsServiceClientImpl(channel)
    this.homes = new HomesServiceClientImpl(channel)
    this.keys = new KeysServiceClientImpl(channel)
    this.orgs = new OrgsServiceClientImpl(channel)
    this.profile = new ProfileServiceClientImpl(channel)
    this.sessions = new SessionsServiceClientImpl(channel)
    this.users = new UsersServiceClientImpl(channel)
    this.workspaces = new WorkspacesServiceClientImpl(channel)
  }
}

/** A directory on a database of its own, with clients, and a way round its rules for what no RPC does yet. */
export class TestDirectory implements AsyncDisposable {
  private readonly closers: (() => PromiseLike<void> | void)[] = []
  private pool!: Pool
  config!: DirectoryConfig
  clients!: Clients

  /** @param change settings that differ; nothing listens at the address of the webhook service by default */
  static async start(change: Partial<DirectoryConfig> = {}): Promise<TestDirectory> {
    const test = new TestDirectory()
    const database = await createTestDatabase()
    test.closers.push(() => database[Symbol.asyncDispose]())
    test.config = {
      listen: '127.0.0.1:0',
      databaseUrl: database.url,
      databaseConnections: 5,
      databaseWaiting: 500,
      accessAuditDays: 365,
      serviceKey: SERVICE_KEY,
      webhookAddress: '127.0.0.1:1',
      trashDays: 30,
      keptDays: 30,
      natsUrl: testEngines().natsUrl,
      events: { days: 1, megabytes: 32, replicas: 1 },
      sessions: { idleSeconds: 3_600, lifeSeconds: 86_400 },
      ...change,
    }
    test.clients = await test.startInstance()
    test.pool = new Pool({ connectionString: database.url, max: 2 })
    test.closers.push(() => test.pool.end())
    return test
  }

  /** Starts one more instance on the same database. */
  async startInstance(change: Partial<DirectoryConfig> = {}): Promise<Clients> {
    const directory = await startDirectory({ ...this.config, ...change })
    this.closers.push(() => directory[Symbol.asyncDispose]())
    const channel = openChannel({ address: directory.address })
    this.closers.push(() => channel.close())
    return new Clients(channel)
  }

  /** Context of a call by Sheaf itself. */
  async system(): Promise<CallContext> {
    const { token } = await this.clients.access.resolveAccess(
      resolveRequest({ credential: { $case: 'serviceKey', value: SERVICE_KEY } }),
    )
    return { token }
  }

  /** Context of a call by a user, or by the anonymous one. */
  async as(user?: TestUser): Promise<CallContext> {
    const { token } = await this.resolve(user)
    return { token }
  }

  resolve(
    user?: TestUser,
    request: Partial<ResolveAccessRequest> = {},
  ): Promise<ResolveAccessResponse> {
    const credential = user && ({ $case: 'apiKey', value: user.key } as const)
    return this.clients.access.resolveAccess(resolveRequest({ credential, ...request }))
  }

  /** Makes a user with a key, called like the part of the email before the @. */
  async addUser(name: string): Promise<TestUser> {
    const call = await this.system()
    const email = `${name}@example.com`
    const { user } = await this.clients.users.ensureUser({ email, name: '' }, call)
    const id = user?.id ?? 0
    const { key } = await this.clients.keys.createKey({ userId: id, name: '', expiresAt: '' }, call)
    return { id, email, key }
  }

  /** Creates users, each with a key, in this order. */
  async addUsers<const N extends readonly string[]>(
    ...names: N
  ): Promise<{ [K in keyof N]: TestUser }> {
    const users: TestUser[] = []
    for (const name of names) users.push(await this.addUser(name))
    return users as { [K in keyof N]: TestUser }
  }

  /** The same user with another key, which is confined to a scope. */
  async withScope(user: TestUser, scope: Partial<KeyScope>): Promise<TestUser> {
    const { key } = await this.clients.keys.createKey(
      { userId: user.id, name: 'scoped', expiresAt: '', scope: { ...noScope, ...scope } },
      await this.as(user),
    )
    return { ...user, key }
  }

  /** Lets new documents have a place. */
  async addHome(name = 'document-data-0', freeBytes = 1000): Promise<void> {
    await this.reportHome({ name, freeBytes })
  }

  /** As `sendReport`; the instance is live, and a lease lasts, until the test ends that, however busy the machine is. */
  async reportHome(
    report: Partial<ReportHomeRequest> & { readonly name: string },
    clients = this.clients,
  ): Promise<ReportHomeResponse> {
    const answer = await this.sendReport(report, clients)
    await this.query(
      `update directory.homes set reported_at = now() + interval '1 hour', lease_until = case when $2
         then clock_timestamp() + interval '1 hour' else lease_until end where name = $1`,
      [report.name, answer.leaseMs > 0],
    )
    return answer
  }

  /** Reports an instance, which has room for documents and no lease unless the report says otherwise. */
  async sendReport(
    report: Partial<ReportHomeRequest> & { readonly name: string },
    clients = this.clients,
  ): Promise<ReportHomeResponse> {
    const address = `${report.name}.test:8486`
    const timeMs = report.replicated ? Date.now() : 0
    const own = { address, freeBytes: 1000, timeMs, protocol: DOCUMENT_PROTOCOL }
    const whole = ReportHomeRequest.fromPartial({ ...own, ...report })
    return clients.homes.reportHome(whole, await this.system())
  }

  /** Reports the first process of a replicated instance, unless the report says otherwise. */
  reportReplicated(
    name: string,
    change: Partial<ReportHomeRequest> = {},
  ): Promise<ReportHomeResponse> {
    return this.reportHome({ name, replicated: true, startId: `first-of-${name}`, ...change })
  }

  /** Lets the lease of an instance end now. */
  async endLease(name: string): Promise<void> {
    await this.query(
      `update directory.homes set lease_until = clock_timestamp() - interval '1 ms' where name = $1`,
      [name],
    )
  }

  async createOrg(owner: TestUser, domain: string): Promise<number> {
    const { id } = await this.clients.orgs.createOrg(
      { name: `Team ${domain}`, domain },
      await this.as(owner),
    )
    return id
  }

  async createWorkspace(owner: TestUser, org: string | number, name = 'Work'): Promise<number> {
    const { id } = await this.clients.workspaces.createWorkspace(
      { org: { org: String(org), site: '' }, name },
      await this.as(owner),
    )
    return id
  }

  /** Makes a published document and returns its UUID. */
  async createDocument(
    owner: TestUser,
    workspaceId: number,
    change: { name?: string; urlId?: string } = {},
  ): Promise<string> {
    const { document, token } = await this.clients.documents.createDocument(
      { workspaceId, name: '', isPinned: false, ...change },
      await this.as(owner),
    )
    const docId = document?.docId ?? ''
    await this.clients.documents.publishDocument({ docId }, { token })
    return docId
  }

  /** Gives roles by email, null taking one away, and sets how much comes down to a workspace or document. */
  async share(
    owner: TestUser | undefined,
    resource: AccessResource['resource'],
    roles: Readonly<Record<string, RoleName | null>>,
    cap?: RoleName | null,
  ): Promise<void> {
    const changes = Object.entries(roles).map(([email, role]) => ({
      email,
      role: roleToWire(role ?? undefined),
    }))
    const maxInheritedRole = cap === undefined ? undefined : roleToWire(cap ?? undefined)
    await this.clients.access.updateAccess(
      { resource: { resource, site: '' }, changes, maxInheritedRole },
      await this.as(owner),
    )
  }

  /** Who has access to a resource, as one user sees it: `email access parentAccess` of each, `-` for none. */
  async listed(
    user: TestUser | undefined,
    resource: AccessResource['resource'],
  ): Promise<{ users: string[]; cap: string; isPersonal: boolean; isPublic: boolean }> {
    const { users, maxInheritedRole, isPersonal, isPublic } = await this.clients.access.listAccess(
      { resource: { resource, site: '' } },
      await this.as(user),
    )
    const shown = (role: Role) => roleFromWire(role) ?? '-'
    return {
      users: users.map(
        ({ email, access, parentAccess }) =>
          `${email.replace('@example.com', '')} ${shown(access)} ${shown(parentAccess)}`,
      ),
      cap: shown(maxInheritedRole),
      isPersonal,
      isPublic,
    }
  }

  /** What a user may do with a document; undefined for nothing. */
  async roleOf(user: TestUser | undefined, docId: string): Promise<Role | undefined> {
    const found = await this.resolve(user, { document: docId }).catch(() => undefined)
    return found?.document?.role
  }

  /** How much a service has not confirmed yet. */
  async countOutbox(consumer: string): Promise<number> {
    const { rows } = await this.query(
      'select count(*)::integer as count from directory.outbox where consumer = $1',
      [consumer],
    )
    return Number(rows[0]?.count)
  }

  /** Integer id of a document. */
  async documentId(docId: string): Promise<number> {
    const { rows } = await this.query('select id from directory.documents where doc_id = $1', [
      docId,
    ])
    return Number(rows[0]?.id)
  }

  /** What was written down of a resource, oldest first: who, what, about whom, from, to. */
  async auditOf(level: Level, id: number): Promise<string[]> {
    const { rows } = await this.query(
      `select concat_ws(' ', split_part(actor_email, '@', 1), what,
         coalesce(split_part(subject_email, '@', 1), '-'),
         coalesce(old_role::text, '-'), coalesce(new_role::text, '-')) as entry
       from directory.access_audit where level = $1 and resource_id = $2 order by id`,
      [level, id],
    )
    return rows.map(({ entry }) => String(entry))
  }

  /** Gives a role, or takes it away, behind the back of the service. */
  async grant(
    level: Level,
    id: number,
    user: { id: number },
    role: RoleName | null,
  ): Promise<void> {
    const table = `directory.${level}_grants`
    await this.query(`delete from ${table} where ${level}_id = $1 and user_id = $2`, [id, user.id])
    if (role !== null)
      await this.query(`insert into ${table} values ($1, $2, $3)`, [id, user.id, role])
  }

  /** Gives a role on a document that is known by its UUID. */
  async grantDocument(docId: string, user: { id: number }, role: RoleName | null): Promise<void> {
    const { rows } = await this.query('select id from directory.documents where doc_id = $1', [
      docId,
    ])
    await this.grant('document', Number(rows[0]?.id), user, role)
  }

  query(text: string, values: unknown[] = []): Promise<{ rows: Record<string, unknown>[] }> {
    // Without values, several statements may stand in one text.
    return values.length === 0 ? this.pool.query(text) : this.pool.query(text, values)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.closers.reverse()) await close()
  }
}

const noScope: KeyScope = { readOnly: false, orgs: [], workspaces: [], documents: [] }

export function resolveRequest(change: Partial<ResolveAccessRequest>): ResolveAccessRequest {
  return ResolveAccessRequest.fromPartial(change)
}

/** Expects each of these calls, which are under way at once, to fail with such an error. */
export async function expectRefused(
  calls: readonly Promise<unknown>[],
  error: { code?: string; reason?: string },
): Promise<void> {
  for (const outcome of await Promise.allSettled(calls))
    expect(outcome).toMatchObject({ status: 'rejected', reason: error })
}
