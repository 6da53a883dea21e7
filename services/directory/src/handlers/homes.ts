import { requireSystem } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  HomesService,
  ListHomeDocumentsRequest,
  ListHomesRequest,
  ReportHomeRequest,
} from '@sheaf/protos/sheaf/directory/v1/homes'
import type { Context } from '../context'
import { listHomeDocuments, listHomes, putHome, refreshHome } from '../db/homes'

/** Handlers of HomesService. */
export const homes = (ctx: Context): HomesService => ({
  async reportHome(report: ReportHomeRequest, call: ServerCall) {
    requireSystem(call)
    requireReport(report)
    if (await refreshHome(ctx.db, report)) return {}
    // Gateways cache addresses along with access, so a new address is published like a change of access.
    await ctx.changes.change((trx) => putHome(trx, report))
    return {}
  },

  async listHomes(_request: ListHomesRequest, call: ServerCall) {
    requireSystem(call)
    const rows = await listHomes(ctx.db)
    return {
      homes: rows.map((row) => ({
        name: row.name,
        address: row.address,
        freeBytes: row.free_bytes,
        reportedAt: row.reported_at.toISOString(),
      })),
    }
  },

  async listHomeDocuments({ home, afterId }: ListHomeDocumentsRequest, call: ServerCall) {
    requireSystem(call)
    const rows = await listHomeDocuments(ctx.db, home, afterId)
    return {
      documents: rows.map((row) => ({
        id: row.id,
        docId: row.doc_id,
        published: row.published_at !== null,
      })),
    }
  },
})

function requireReport({ name, address, freeBytes }: ReportHomeRequest): void {
  const fine = {
    name: /^[\w.-]{1,100}$/.test(name),
    address: /^[\x21-\x7e]{1,300}$/.test(address),
    free_bytes: Number.isSafeInteger(freeBytes) && freeBytes >= 0,
  }
  for (const [field, isFine] of Object.entries(fine))
    if (!isFine) throw new AppError('invalid', 'INVALID_HOME', `${field} is invalid`, { field })
}
