import { requireDocumentRole } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import { serve, startGrpcServer } from '@sheaf/kit/grpc/server'
import { openWith } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { roleToWire, type RoleName } from '@sheaf/auth/roles'
import {
  AccessServiceService,
  type HoldLeaseRequest,
  type HoldLeaseResponse,
  type ResolveAccessRequest,
  type ResolveAccessResponse,
} from '@sheaf/protos/sheaf/directory/v1/access'
import {
  DocumentsServiceService as DirectoryDocuments,
  type DocumentsService,
} from '@sheaf/protos/sheaf/directory/v1/documents'
import { Home, HomesServiceService } from '@sheaf/protos/sheaf/directory/v1/homes'
import { OrgsServiceService, type OrgsService } from '@sheaf/protos/sheaf/directory/v1/orgs'
import {
  WorkspacesServiceService,
  type WorkspacesService,
} from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { DOCUMENT_PROTOCOL } from '@sheaf/protos/protocol'
import {
  AttachmentsServiceService,
  type AttachmentsService,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import {
  ColumnsServiceService,
  type ColumnsService,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import { DocumentsServiceService } from '@sheaf/protos/sheaf/document_data/v1/documents'
import {
  ImportServiceService,
  type ImportService,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import {
  RecordsServiceService,
  type RecordsService,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import {
  TablesServiceService,
  type TablesService,
} from '@sheaf/protos/sheaf/document_data/v1/tables'
import {
  WebhooksServiceService,
  type WebhooksService,
} from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import { createTokenAuthority, type TokenAuthority } from '@sheaf/testkit/token-authority'
import { defaultLimits, defaultTimeouts, type GatewayConfig, type Timeouts } from '../../src/config'
import { startGateway, type RunningGateway } from '../../src/service'

/** The document that all tests use. */
export const DOC = '7c7ab2f0-0f7c-4b39-8a3c-3a6d6c0f9b1e'
const SERVICE_KEY = 'service-key-of-the-tests'

interface User {
  readonly id: number
  readonly role?: RoleName
}

const users: Record<string, User | undefined> = {
  'alice-key': { id: 1, role: 'owners' },
  'bob-key': { id: 2, role: 'editors' },
  'carol-key': { id: 3, role: 'viewers' },
  'dan-key': { id: 4 },
}

/** The user of a key; undefined for an unknown one. */
function findUser(credential: ResolveAccessRequest['credential']): User | undefined {
  if (!credential) return { id: 99 }
  return typeof credential.value === 'string' ? users[credential.value] : undefined
}

/** Handlers of the RPCs that a test cares about; the rest answer UNIMPLEMENTED. */
export interface Handlers {
  readonly orgs?: Partial<OrgsService>
  readonly workspaces?: Partial<WorkspacesService>
  readonly documents?: Partial<DocumentsService>
  readonly records?: Partial<RecordsService>
  readonly tables?: Partial<TablesService>
  readonly columns?: Partial<ColumnsService>
  readonly attachments?: Partial<AttachmentsService>
  readonly imports?: Partial<ImportService>
  readonly webhooks?: Partial<WebhooksService>
  readonly config?: Partial<Omit<GatewayConfig, 'timeouts'>> & { timeouts?: Partial<Timeouts> }
}

interface Handle {
  resolveAccess(request: ResolveAccessRequest): Promise<ResolveAccessResponse>
  holdLease(
    requests: AsyncIterable<HoldLeaseRequest>,
    call: ServerCall,
  ): AsyncIterable<HoldLeaseResponse>
  listVerificationKeys(): Promise<{ jwks: string }>
}

/** Directory's part of access, which a test can turn. */
export class StubAccess {
  accessVersion = 1
  leaseMs = 10_000
  tokenMs = 30_000
  keyExpiresAt = 0
  /** False to grant no lease; a stream that is open stays open and silent. */
  answersRenewals = true
  /** Each question that was asked about a document. */
  readonly questions: ResolveAccessRequest[] = []
  /** What was told about dropped versions. */
  readonly dropped: number[] = []
  /** Runs before a question is answered, and after the version it is answered at was read. */
  beforeAnswer: (request: ResolveAccessRequest) => Promise<void> | void = () => {}
  private readonly listeners = new Set<(answer: HoldLeaseResponse) => void>()
  private readonly cutters = new Set<() => void>()
  homeAddress = ''
  /** What the home understands of its requests. */
  homeProtocol = DOCUMENT_PROTOCOL

  constructor(private readonly authority: TokenAuthority) {}

  /** Announces a change to every holder of a lease. */
  change(): void {
    this.accessVersion++
    const { accessVersion } = this
    for (const tell of this.listeners) tell({ accessVersion, leaseMs: 0, endedHomeAddresses: [] })
  }

  /** Announces to every holder of a lease that the lease of the instance at this address has ended. */
  endHome(address: string): void {
    const { accessVersion } = this
    for (const tell of this.listeners)
      tell({ accessVersion, leaseMs: 0, endedHomeAddresses: [address] })
  }

  /** Ends every open stream of renewals. */
  cut(): void {
    for (const end of this.cutters) end()
  }

  readonly handlers: Handle = {
    resolveAccess: async (request: ResolveAccessRequest): Promise<ResolveAccessResponse> => {
      const { credential, document } = request
      if (credential?.$case === 'serviceKey')
        return this.answer({ userId: 0, system: credential.value === SERVICE_KEY }, undefined)
      const { accessVersion } = this
      this.questions.push(request)
      await this.beforeAnswer(request)
      const user = findUser(credential)
      if (!user)
        throw new AppError('unauthenticated', 'INVALID_API_KEY', 'Bad request: invalid API key')
      if (document !== '' && document !== DOC && document !== 'cities')
        throw new AppError('not_found', 'DOCUMENT_NOT_FOUND', 'document not found')
      const { id, role } = user
      if (document !== '' && role === undefined)
        throw new AppError('forbidden', 'ACCESS_DENIED', 'No view access')
      const answer = await this.answer({ userId: id, anonymous: id === 99 }, document && role)
      return { ...answer, accessVersion }
    },
    holdLease: (requests: AsyncIterable<HoldLeaseRequest>, call: ServerCall) =>
      this.holdLease(requests, call),
    listVerificationKeys: async () => ({ jwks: JSON.stringify(this.authority.jwks) }),
  }

  /** The answer to CreateDocument: alice owns the document, and a token says so. */
  async grantNew(): Promise<Pick<ResolveAccessResponse, 'document' | 'token'>> {
    const { document, token } = await this.answer({ userId: 1 }, 'owners')
    return { document, token }
  }

  private async answer(
    caller: { userId: number; system?: boolean; anonymous?: boolean },
    role: RoleName | '' | undefined,
  ): Promise<ResolveAccessResponse> {
    const { tokenMs, accessVersion, keyExpiresAt } = this
    const { userId, system = false, anonymous = false } = caller
    const claims = role ? { docId: DOC, role, home: 'document-data-0' } : {}
    const token = await this.authority.sign({ userId, system, anonymous, ...claims }, tokenMs)
    return {
      caller: { userId, email: '', name: '', system, anonymous },
      document: role ? toDocument(role, this) : undefined,
      token,
      tokenExpiresAt: Date.now() + tokenMs,
      accessVersion,
      keyExpiresAt,
      formViewId: 0,
    }
  }

  private async *holdLease(
    requests: AsyncIterable<HoldLeaseRequest>,
    call: ServerCall,
  ): AsyncGenerator<HoldLeaseResponse> {
    const queue: HoldLeaseResponse[] = []
    let wake = () => {}
    let isOpen = true
    const push = (answer: HoldLeaseResponse) => {
      queue.push(answer)
      wake()
    }
    const end = () => {
      isOpen = false
      wake()
    }
    call.signal.addEventListener('abort', end)
    this.listeners.add(push)
    this.cutters.add(end)
    const receive = async () => {
      for await (const { droppedVersion } of requests) {
        this.dropped.push(droppedVersion)
        const { accessVersion, leaseMs } = this
        if (this.answersRenewals) push({ accessVersion, leaseMs, endedHomeAddresses: [] })
      }
    }
    receive().then(end, end)
    try {
      while (isOpen) {
        const answer = queue.shift()
        if (answer) yield answer
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      this.listeners.delete(push)
      this.cutters.delete(end)
    }
  }
}

/** A gateway in front of stubs of the services. */
export interface StubbedGateway extends AsyncDisposable {
  readonly gateway: RunningGateway
  readonly url: string
  readonly access: StubAccess
  /** Documents whose files were made. */
  readonly created: readonly string[]
}

/** Starts a gateway whose directory and document-data do what the test says. */
export function startStubbedGateway(handlers: Handlers = {}): Promise<StubbedGateway> {
  return openWith(async (closer) => {
    const authority = await createTokenAuthority()
    const access = new StubAccess(authority)
    const created: string[] = []
    const log = createLogger('stub')
    log.level = 'silent'
    const options = { name: 'stub', listen: '127.0.0.1:0', verifier: authority.verifier, log }
    const data = closer.use(
      await startGrpcServer({
        ...options,
        maxMessageBytes: 64 * 1024 * 1024,
        services: [
          serve(RecordsServiceService, handlers.records ?? {}),
          serve(TablesServiceService, handlers.tables ?? {}),
          serve(AttachmentsServiceService, handlers.attachments ?? {}),
          serve(ImportServiceService, handlers.imports ?? {}),
          serve(ColumnsServiceService, handlers.columns ?? {}),
          serve(WebhooksServiceService, handlers.webhooks ?? {}),
          serve(DocumentsServiceService, {
            async createDocument({ docId }: { docId: string }, call: ServerCall) {
              requireDocumentRole(call, docId, 'owners')
              created.push(docId)
              return { seq: 1 }
            },
          }),
        ],
      }),
    )
    data.setHealth('nats', true)
    access.homeAddress = data.address
    const home = { name: 'document-data-0', address: data.address, freeBytes: 1 }
    const directory = closer.use(
      await startGrpcServer({
        ...options,
        services: [
          serve(AccessServiceService, access.handlers, {
            open: ['resolveAccess', 'listVerificationKeys'],
          }),
          serve(OrgsServiceService, handlers.orgs ?? {}),
          serve(WorkspacesServiceService, handlers.workspaces ?? {}),
          serve(DirectoryDocuments, handlers.documents ?? {}),
          serve(HomesServiceService, {
            listHomes: async () => ({
              homes: [Home.fromPartial({ ...home, reportedAt: new Date().toISOString() })],
            }),
          }),
        ],
      }),
    )
    directory.setHealth('postgres', true)
    const { timeouts, ...settings } = handlers.config ?? {}
    const gateway = closer.use(
      await startGateway({
        host: '127.0.0.1',
        port: 0,
        directoryAddress: directory.address,
        // One process plays webhook too.
        webhookAddress: data.address,
        serviceKey: SERVICE_KEY,
        maxBodyBytes: 1024 * 1024,
        limits: defaultLimits,
        rateLimit: 0,
        proxies: 0,
        allowedOrigins: [],
        ...settings,
        timeouts: { ...defaultTimeouts, drainMs: 500, ...timeouts },
      }),
    )
    return {
      gateway,
      url: gateway.url,
      access,
      created,
      [Symbol.asyncDispose]: () => closer.close(),
    }
  })
}

function toDocument(
  name: RoleName,
  { homeAddress, homeProtocol }: Pick<StubAccess, 'homeAddress' | 'homeProtocol'>,
) {
  const role = roleToWire(name)
  return {
    docId: DOC,
    role,
    unscopedRole: role,
    home: 'document-data-0',
    homeAddress,
    homeProtocol,
    assignment: 0,
  }
}
