import { requireSystem } from '@sheaf/auth/require-access'
import { dumpTables, TableRestore } from '@sheaf/kit/postgres/database-dump'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  BackupService,
  ReadTablesRequest,
  ReadTablesResponse,
  RestoreTablesRequest,
  RestoreTablesResponse,
} from '@sheaf/protos/sheaf/webhook/v1/backup'
import type { Context } from '../context'
import { clearWebhooks, dumpPlan, resetWebhooks, skipLogs, type LogEnd } from '../db/backup'

/** Log ends stored at once. */
const ENDS = 1000

/** Handlers of BackupService. */
export const backup = ({ db }: Context): BackupService => ({
  async *readTables(
    _request: ReadTablesRequest,
    call: ServerCall,
  ): AsyncGenerator<ReadTablesResponse> {
    requireSystem(call)
    for await (const line of dumpTables(db, dumpPlan)) yield { line: Buffer.from(line) }
  },

  async restoreTables(
    parts: AsyncIterable<RestoreTablesRequest>,
    call: ServerCall,
  ): Promise<RestoreTablesResponse> {
    requireSystem(call)
    await db.transaction().execute(async (trx) => {
      await clearWebhooks(trx)
      const restore = new TableRestore(trx, dumpPlan)
      let ends: LogEnd[] = []
      for await (const { part } of parts) {
        if (part?.$case === 'line') await restore.take(Buffer.from(part.value).toString())
        else if (part?.$case === 'logEnd') ends.push(part.value)
        if (ends.length < ENDS) continue
        await skipLogs(trx, ends)
        ends = []
      }
      restore.finish()
      await skipLogs(trx, ends)
      await resetWebhooks(trx)
    })
    return {}
  },
})
