import { requireSystem } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  AssignHomeDocumentRequest,
  BalanceHomeRequest,
  DrainHomeRequest,
  HandOverHomeDocumentsRequest,
  HomesService,
  ListHomeDocumentsRequest,
  ListHomesRequest,
  PinHomeDocumentsRequest,
  ReportHomeChangesRequest,
  ReportHomeRequest,
} from '@sheaf/protos/sheaf/directory/v1/homes'
import { Pin } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { Context } from '../context'
import { isUuid } from '../access/resolve'
import { findAssignment, handOver, pinDocuments, returnDocument } from '../db/assignments'
import { storeChanges } from '../db/document-changes'
import { allowFormat, findUnreadable, raiseFormat } from '../db/formats'
import {
  drainHome,
  isKnownHome,
  listHomeDocuments,
  listHomes,
  putHome,
  refreshHome,
  storeLoad,
  type StoredReport,
} from '../db/homes'
import type { DocumentPin } from '../db/schema'
import { HOME_LEASE_MS, HOME_MARGIN_MS } from '../leases/ended-homes'
import { findSurplus } from '../leases/home-balance'
import { documentNotFound } from './errors'

/** Difference at which an instance does not yet refuse tokens that directory has just issued, or gateways have kept. */
const CLOCK_TOLERANCE_SECONDS = 5
/** Latest time of a report of changes, which PostgreSQL and JavaScript can represent. */
const MAX_TIME_MS = Date.UTC(9999, 11, 31)
/** Largest id of a user. */
const MAX_USER_ID = 2 ** 31 - 1
/** Documents that are handed over, or pinned, in one call. */
const MAX_HANDED_OVER = 1000

/** Handlers of HomesService. */
export const homes = (ctx: Context): HomesService => ({
  async reportHome(report: ReportHomeRequest, call: ServerCall) {
    requireSystem(call)
    requireReport(report)
    requireSameTime(report)
    const stored = await storeReport(ctx, report)
    const isGranted = stored && report.replicated && !report.released
    return {
      leaseMs: isGranted ? HOME_LEASE_MS : 0,
      endedHomes: report.replicated ? ctx.endedHomes.names : [],
      drained: stored?.drained ?? false,
      writeFormat: report.replicated ? (stored?.writeFormat ?? 0) : 0,
    }
  },

  async assignHomeDocument(request: AssignHomeDocumentRequest, call: ServerCall) {
    requireSystem(call)
    const { docId, home: asker = '', unreadableFormat: format = 0 } = request
    if (!isUuid(docId)) throw documentNotFound()
    if (format > 0) await raiseFormat(ctx.db, docId, { home: asker, format })
    const { localHome } = request
    if (localHome !== undefined) await returnDocument(ctx.db, docId, { from: asker, to: localHome })
    const present = await ctx.homeAssigner.assign(docId, await findAssignment(ctx.db, docId))
    if (!present) throw documentNotFound()
    const { home, homeAddress, assignment, isPinned: pinned } = present
    const formats = await allowFormat(ctx.db, docId, home === asker ? home : '')
    return { home, homeAddress: homeAddress ?? '', assignment, pinned, ...formats }
  },

  async handOverHomeDocuments(request: HandOverHomeDocumentsRequest, call: ServerCall) {
    requireSystem(call)
    const { docIds, to } = request
    requireDocuments(docIds)
    if (to !== '') await requireUsable(ctx, docIds, to)
    return { documents: await handOver(ctx.db, request) }
  },

  async pinHomeDocuments(request: PinHomeDocumentsRequest, call: ServerCall) {
    requireSystem(call)
    requireDocuments(request.docIds)
    const pin = pinFromWire(request.pin)
    return { docIds: await pinDocuments(ctx.db, { ...request, pin }) }
  },

  async reportHomeChanges({ changes }: ReportHomeChangesRequest, call: ServerCall) {
    requireSystem(call)
    requireDocuments(changes.map(({ docId }) => docId))
    for (const { timeMs, userId } of changes) {
      requireChangeField('time_ms', timeMs, MAX_TIME_MS)
      requireChangeField('user_id', userId, MAX_USER_ID)
    }
    await storeChanges(ctx.db, changes)
    return {}
  },

  async balanceHome({ home, startId, load }: BalanceHomeRequest, call: ServerCall) {
    requireSystem(call)
    if (!(load >= 0 && load <= 1))
      throw new AppError('invalid', 'INVALID_HOME', 'load is invalid', { field: 'load' })
    return findSurplus(home, await storeLoad(ctx.db, { home, startId, load }))
  },

  async drainHome({ name, drained }: DrainHomeRequest, call: ServerCall) {
    requireSystem(call)
    const outcome = await drainHome(ctx.db, name, drained)
    if (outcome === 'unknown') throw homeNotFound(name)
    if (outcome === 'local')
      throw new AppError(
        'precondition',
        'NOT_REPLICATED',
        'the documents of an instance without replication are on its disk alone',
      )
    if (outcome === 'alone')
      throw new AppError(
        'precondition',
        'NO_OTHER_INSTANCE',
        'no other live instance could take over the documents',
      )
    return {}
  },

  async listHomes({ withDocuments }: ListHomesRequest, call: ServerCall) {
    requireSystem(call)
    const rows = await listHomes(ctx.db, { countsDocuments: withDocuments })
    return {
      homes: rows.map((row) => ({
        name: row.name,
        address: row.address,
        freeBytes: row.free_bytes,
        reportedAt: row.reported_at.toISOString(),
        replicated: row.is_replicated,
        live: row.is_live,
        drained: row.drained,
        documents: row.documents ?? 0,
        formatMin: row.format_min,
        formatMax: row.format_max,
        pinned: row.pinned ?? 0,
        local: row.local ?? 0,
      })),
    }
  },

  async listHomeDocuments(request: ListHomeDocumentsRequest, call: ServerCall) {
    requireSystem(call)
    const { home, afterId, pinnedOnly } = request
    const pin = pinFromWire(request.pin ?? Pin.UNSPECIFIED) ?? undefined
    const rows = await listHomeDocuments(ctx.db, home, { afterId, pinnedOnly, pin })
    return {
      documents: rows.map((row) => ({
        id: row.id,
        docId: row.doc_id,
        published: row.published_at !== null,
        pin: row.pinned === null ? Pin.UNSPECIFIED : PINS[row.pinned],
      })),
    }
  },
})

function requireChangeField(field: string, value: number, max: number): void {
  if (value < 0 || value > max)
    throw new AppError('invalid', 'INVALID_HOME', `${field} is invalid`, { field })
}

function requireDocuments(docIds: readonly string[]): void {
  if (docIds.length > MAX_HANDED_OVER || !docIds.every(isUuid))
    throw new AppError('invalid', 'INVALID_HOME', 'doc_ids is invalid', { field: 'doc_ids' })
}

const PINS: Readonly<Record<DocumentPin, Pin>> = { waiting: Pin.WAITING, local: Pin.LOCAL }

function pinFromWire(pin: Pin): DocumentPin | null {
  if (pin === Pin.UNSPECIFIED) return null
  if (pin === Pin.WAITING) return 'waiting'
  if (pin === Pin.LOCAL) return 'local'
  throw new AppError('invalid', 'INVALID_HOME', 'pin is invalid', { field: 'pin' })
}

function homeNotFound(name: string): AppError {
  return new AppError('not_found', 'INSTANCE_NOT_FOUND', `there is no instance ${name}`)
}

/** Throws unless an instance is known and can read all of these documents. */
async function requireUsable(ctx: Context, docIds: readonly string[], to: string): Promise<void> {
  if (!(await isKnownHome(ctx.db, to))) throw homeNotFound(to)
  const docId = await findUnreadable(ctx.db, docIds, to)
  if (docId === undefined) return
  throw new AppError(
    'precondition',
    'INSTANCE_TOO_OLD',
    `${to} is of an older release, which cannot read the format of document ${docId}`,
  )
}

/** Returns undefined when another process of that name has the lease. */
async function storeReport(
  ctx: Context,
  report: ReportHomeRequest,
): Promise<StoredReport | undefined> {
  const { name, address, freeBytes, protocol, formatMin, formatMax } = report
  const { replicated, startId, released } = report
  const ms = released ? 0 : HOME_LEASE_MS + HOME_MARGIN_MS
  const lease = replicated ? { startId, ms } : undefined
  const stored = { name, address, freeBytes, protocol, formatMin, formatMax, lease }
  const refreshed = await refreshHome(ctx.db, stored)
  if (refreshed) return refreshed
  // Gateways cache addresses and protocols along with access, so a new one is published like a change of access.
  return ctx.changes.change(
    (trx) => putHome(trx, stored),
    (put) => put !== undefined,
  )
}

/** An instance with another time would keep its documents, and refuse every call about them. */
function requireSameTime({ replicated, released, timeMs }: ReportHomeRequest): void {
  if (!replicated || released || timeMs === 0) return
  const seconds = (timeMs - Date.now()) / 1000
  if (Math.abs(seconds) <= CLOCK_TOLERANCE_SECONDS) return
  const difference = `${Math.abs(seconds).toFixed(1)} s ${seconds > 0 ? 'ahead of' : 'behind'}`
  throw new AppError(
    'precondition',
    'CLOCK_DIFFERS',
    `the clock of the instance is ${difference} that of directory: set both by a time service`,
  )
}

function requireReport({ name, address, freeBytes, ...report }: ReportHomeRequest): void {
  const fine = {
    name: /^[\w.-]{1,100}$/.test(name),
    address: /^[\x21-\x7e]{1,300}$/.test(address),
    time_ms: Number.isSafeInteger(report.timeMs) && report.timeMs >= 0,
    start_id: report.replicated ? /^[\w-]{1,100}$/.test(report.startId) : report.startId === '',
    protocol: report.protocol >= 0,
    format_min: report.formatMin >= 0,
    format_max: report.formatMax >= report.formatMin,
    free_bytes: Number.isSafeInteger(freeBytes) && freeBytes >= 0,
  }
  for (const [field, isFine] of Object.entries(fine))
    if (!isFine) throw new AppError('invalid', 'INVALID_HOME', `${field} is invalid`, { field })
}
