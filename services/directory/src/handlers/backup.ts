import { requireSystem } from '@sheaf/auth/require-access'
import { dumpTables, TableRestore } from '@sheaf/kit/postgres/database-dump'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  BackupService,
  GetContentsRequest,
  GetContentsResponse,
  ReadTablesRequest,
  ReadTablesResponse,
  RestoreTablesRequest,
  RestoreTablesResponse,
} from '@sheaf/protos/sheaf/directory/v1/backup'
import type { Context } from '../context'
import {
  clearContents,
  clearPins,
  countContents,
  deleteMissing,
  dumpPlan,
  holdContents,
  type Contents,
} from '../db/backup'

/** Handlers of BackupService. */
export const backup = (ctx: Context): BackupService => ({
  async *readTables(
    _request: ReadTablesRequest,
    call: ServerCall,
  ): AsyncGenerator<ReadTablesResponse> {
    requireSystem(call)
    for await (const line of dumpTables(ctx.db, dumpPlan)) yield { line: Buffer.from(line) }
  },

  async getContents(_request: GetContentsRequest, call: ServerCall): Promise<GetContentsResponse> {
    requireSystem(call)
    return countContents(ctx.db)
  },

  async restoreTables(
    parts: AsyncIterable<RestoreTablesRequest>,
    call: ServerCall,
  ): Promise<RestoreTablesResponse> {
    requireSystem(call)
    await ctx.db.transaction().execute(async (trx) => {
      await holdContents(trx)
      requireFresh(await countContents(trx))
      await clearContents(trx)
      const restore = new TableRestore(trx, dumpPlan)
      const missing: string[] = []
      for await (const { part } of parts) {
        if (part?.$case === 'line') await restore.take(Buffer.from(part.value).toString())
        else if (part?.$case === 'missingDocId') missing.push(part.value)
      }
      restore.finish()
      await deleteMissing(trx, missing)
      await clearPins(trx)
    })
    // Invalidates all caches, which describe the Sheaf before the restore.
    await ctx.changes.change(() => Promise.resolve())
    ctx.outbox.wake()
    return {}
  },
})

/** Throws unless the database is as a first start leaves it: one user, the owner, and nothing else. */
function requireFresh({ users, sites, documents }: Contents): void {
  if (users <= 1 && sites === 0 && documents === 0) return
  throw new AppError(
    'precondition',
    'NOT_EMPTY',
    `the database is not empty: it has ${users} users, ${sites} team sites and ${documents} documents`,
  )
}
