import type { RecordsService } from '@sheaf/protos/sheaf/document_data/v1/records'
import type { Context } from '../context'
import { groups } from './groups'
import { records } from './records'

/** All handlers of RecordsService. */
export const recordsService = (ctx: Context): RecordsService => ({
  ...records(ctx),
  ...groups(ctx),
})
