import { createLogger } from '@sheaf/kit/logger'
import { serve, startGrpcServer } from '@sheaf/kit/grpc/server'
import {
  AccessServiceService,
  ResolveAccessResponse,
} from '@sheaf/protos/sheaf/directory/v1/access'
import {
  HomesServiceService,
  ReportHomeResponse,
  type AssignHomeDocumentRequest,
  type ReportHomeRequest,
} from '@sheaf/protos/sheaf/directory/v1/homes'
import type { TokenAuthority } from '@sheaf/testkit/token-authority'

const LEASE_MS = 2_000

/** What document-data needs of directory: keys, a system token, leases of instances and assignments of documents. */
export interface StandInDirectory extends AsyncDisposable {
  readonly address: string
  /** All reports of instances, oldest first. */
  readonly reports: readonly ReportHomeRequest[]
  /** Names of the instances whose lease is not renewed any more. */
  readonly ended: Set<string>
  /** The assignment of a document. */
  assignmentOf(docId: string): { readonly home: string; readonly assignment: number }
  /** Assigns a document to an instance, with the next number. */
  assign(docId: string, home: string): void
}

/** @param first the instance to which documents are assigned at first */
export async function startStandInDirectory(
  authority: TokenAuthority,
  first: string,
): Promise<StandInDirectory> {
  const reports: ReportHomeRequest[] = []
  const ended = new Set<string>()
  const assignments = new Map<string, { home: string; assignment: number }>()
  const assignmentOf = (docId: string) => assignments.get(docId) ?? { home: first, assignment: 0 }
  const assign = (docId: string, home: string) => {
    assignments.set(docId, { home, assignment: assignmentOf(docId).assignment + 1 })
  }
  const access = {
    listVerificationKeys: () => Promise.resolve({ jwks: JSON.stringify(authority.jwks) }),
    resolveAccess: async () =>
      ResolveAccessResponse.fromPartial({
        token: await authority.sign({ userId: 0, system: true }),
        tokenExpiresAt: Date.now() + 30_000,
      }),
  }
  const homes = {
    reportHome(request: ReportHomeRequest) {
      reports.push(request)
      const { name, replicated } = request
      const leaseMs = replicated && !ended.has(name) ? LEASE_MS : 0
      return Promise.resolve(ReportHomeResponse.fromPartial({ leaseMs, endedHomes: [...ended] }))
    },
    assignHomeDocument({ docId }: AssignHomeDocumentRequest) {
      const { home } = assignmentOf(docId)
      const live = reports.find(({ name }) => !ended.has(name))
      if (ended.has(home) && live) assign(docId, live.name)
      return Promise.resolve({ ...assignmentOf(docId), homeAddress: '' })
    },
  }
  const server = await startGrpcServer({
    listen: '127.0.0.1:0',
    services: [
      serve(AccessServiceService, access, { open: ['listVerificationKeys', 'resolveAccess'] }),
      serve(HomesServiceService, homes),
    ],
    verifier: authority.verifier,
    log: createLogger('stand-in'),
  })
  return {
    address: server.address,
    reports,
    ended,
    assignmentOf,
    assign,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
