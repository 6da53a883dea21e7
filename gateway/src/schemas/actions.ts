import { z } from 'zod'

/** Row actions; document-data validates their arguments. */
export const rowActions = z.array(z.array(z.unknown())).meta({
  description:
    'Actions such as `["AddRecord", "People", null, {"Name": "Ann"}]`: AddRecord, UpdateRecord and RemoveRecord with a row id, ' +
    'BulkAddRecord, BulkUpdateRecord and BulkRemoveRecord with a list of them and lists of values. A negative id names a new ' +
    'row for later actions.',
})

/** The result of row actions. */
export const appliedActions = z.object({
  actionNum: z.int().meta({ description: 'Number of the log entry; 0 when nothing changed' }),
  actionHash: z.null(),
  retValues: z.array(z.unknown()).meta({
    description: 'For each action: the new row id or ids, else null',
  }),
  isModification: z.boolean(),
})
