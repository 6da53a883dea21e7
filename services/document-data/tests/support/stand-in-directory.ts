import { AppError } from '@sheaf/kit/errors'
import { createLogger } from '@sheaf/kit/logger'
import { serve, startGrpcServer } from '@sheaf/kit/grpc/server'
import {
  AccessServiceService,
  ResolveAccessResponse,
  type ResolveAccessRequest,
} from '@sheaf/protos/sheaf/directory/v1/access'
import {
  BalanceHomeResponse,
  HomesServiceService,
  ReportHomeResponse,
  type AssignHomeDocumentRequest,
  type HandOverHomeDocumentsRequest,
  Pin,
  type ListHomeDocumentsRequest,
  type PinHomeDocumentsRequest,
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
  /** What instances are told to hand over, each answer once. */
  readonly surpluses: Partial<BalanceHomeResponse>[]
  /** Names of the instances that are to hand over their documents. */
  readonly drained: Set<string>
  /** Forgets which formats documents have, as a directory that was never told. */
  forgetFormats(): void
  /** Documents that are assigned to no other instance than theirs, … */
  readonly pinned: Set<string>
  /** … and those of them that an operator has released from replication. */
  readonly local: Set<string>
  /** Documents that were deleted for good. */
  readonly deleted: Set<string>
  /** Lets the answers to so many hand-overs get lost, which have an effect. */
  loseAnswers(count: number): void
}

/** @param first the instance to which documents are assigned at first */
export async function startStandInDirectory(
  authority: TokenAuthority,
  first: string,
): Promise<StandInDirectory> {
  const reports: ReportHomeRequest[] = []
  const ended = new Set<string>()
  const drained = new Set<string>()
  const pinned = new Set<string>()
  const local = new Set<string>()
  const pinOf = (docId: string) => {
    if (!pinned.has(docId)) return Pin.UNSPECIFIED
    return local.has(docId) ? Pin.LOCAL : Pin.WAITING
  }
  const deleted = new Set<string>()
  const surpluses: Partial<BalanceHomeResponse>[] = []
  let lost = 0
  const assignments = new Map<string, { home: string; assignment: number }>()
  const assignmentOf = (docId: string) => assignments.get(docId) ?? { home: first, assignment: 0 }
  /** Documents that an instance has asked for. */
  const known = new Set<string>()
  /** Formats that documents have or may get. */
  const formats = new Map<string, number>()
  const latest = (home: string) => reports.findLast(({ name }) => name === home)
  const live = () =>
    [...new Set(reports.map(({ name }) => name))].flatMap((name) =>
      ended.has(name) ? [] : (latest(name) ?? []),
    )
  const writeFormat = () => Math.min(99, ...live().map(({ formatMax }) => formatMax))
  const needFormat = (docId: string, format: number) => {
    formats.set(docId, Math.max(formats.get(docId) ?? 0, format))
  }
  const canRead = (home: string, docId: string) =>
    (latest(home)?.formatMax ?? Infinity) >= (formats.get(docId) ?? 0)
  const addressOf = (home: string) => latest(home)?.address ?? ''
  const assign = (docId: string, home: string) => {
    assignments.set(docId, { home, assignment: assignmentOf(docId).assignment + 1 })
  }
  const access = {
    listVerificationKeys: () => Promise.resolve({ jwks: JSON.stringify(authority.jwks) }),
    async resolveAccess({ document }: ResolveAccessRequest) {
      if (deleted.has(document))
        throw new AppError('not_found', 'DOCUMENT_NOT_FOUND', 'document not found')
      return ResolveAccessResponse.fromPartial({
        token: await authority.sign({ userId: 0, system: true }),
        tokenExpiresAt: Date.now() + 30_000,
      })
    },
  }
  const homes = {
    reportHome(request: ReportHomeRequest) {
      reports.push(request)
      const { name, replicated } = request
      const leaseMs = replicated && !ended.has(name) ? LEASE_MS : 0
      return Promise.resolve(
        ReportHomeResponse.fromPartial({
          leaseMs,
          endedHomes: [...ended],
          drained: drained.has(name),
          writeFormat: writeFormat(),
        }),
      )
    },
    listHomeDocuments({ home, afterId, pinnedOnly, pin }: ListHomeDocumentsRequest) {
      const documents = [...new Set([...known, ...pinned])]
        .filter((docId) => assignmentOf(docId).home === home && (!pinnedOnly || pinned.has(docId)))
        .map((docId) => ({ id: 1, docId, published: true, pin: pinOf(docId) }))
        .filter((document) => pin === undefined || document.pin === pin)
      return Promise.resolve({ documents: afterId === 0 ? documents : [] })
    },
    pinHomeDocuments({ docIds, pin }: PinHomeDocumentsRequest) {
      for (const docId of docIds)
        if (pin === Pin.UNSPECIFIED) pinned.delete(docId)
        else pinned.add(docId)
      for (const docId of docIds)
        if (pin === Pin.LOCAL) local.add(docId)
        else local.delete(docId)
      return Promise.resolve({ docIds })
    },
    balanceHome() {
      return Promise.resolve(BalanceHomeResponse.fromPartial(surpluses.shift() ?? {}))
    },
    handOverHomeDocuments({ home, docIds, to }: HandOverHomeDocumentsRequest) {
      const next = to || reports.find(({ name }) => name !== home && !drained.has(name))?.name
      if (next === undefined) return Promise.resolve({ documents: [] })
      const movable = docIds.filter((docId) => !pinned.has(docId))
      for (const docId of movable) assign(docId, next)
      if (lost-- > 0) return Promise.reject(new AppError('unavailable', 'LOST', 'lost'))
      const homeAddress = addressOf(next)
      return Promise.resolve({
        documents: movable.map((docId) => ({ docId, home: next, homeAddress })),
      })
    },
    assignHomeDocument(request: AssignHomeDocumentRequest) {
      const { docId, home: asker, unreadableFormat = 0, localHome } = request
      known.add(docId)
      if (localHome !== undefined) {
        assign(docId, localHome)
        pinned.add(docId)
      }
      needFormat(docId, unreadableFormat)
      const { home } = assignmentOf(docId)
      const isOver = ended.has(home) || !canRead(home, docId)
      const next = isOver && !pinned.has(docId) && live().find(({ name }) => canRead(name, docId))
      if (next) assign(docId, next.name)
      const assigned = assignmentOf(docId)
      if (assigned.home === asker) needFormat(docId, writeFormat())
      return Promise.resolve({
        ...assigned,
        homeAddress: addressOf(assigned.home),
        format: formats.get(docId) ?? 0,
        writeFormat: writeFormat(),
        pinned: pinned.has(docId),
      })
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
    drained,
    pinned,
    local,
    deleted,
    surpluses,
    forgetFormats: () => formats.clear(),
    loseAnswers: (count) => (lost = count),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
