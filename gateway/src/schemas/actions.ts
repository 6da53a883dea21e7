import { z } from 'zod'

/** Record actions; document-data validates the arguments of each action. */
export const rowActions = z.array(z.array(z.unknown())).meta({
  description:
    'List of actions, such as `["AddRecord", "People", null, {"Name": "Ann"}]`. `AddRecord`, `UpdateRecord` and `RemoveRecord` take a row id; ' +
    '`BulkAddRecord`, `BulkUpdateRecord` and `BulkRemoveRecord` take a list of row ids and lists of values. A negative id refers to a ' +
    'new row in later actions.',
})

/** Results of record actions. */
export const appliedActions = z.object({
  actionNum: z
    .int()
    .meta({ description: 'Position of the change in the log; 0 if nothing changed' }),
  actionHash: z.null(),
  retValues: z.array(z.unknown()).meta({
    description: 'For each action, the new row id or ids, else null',
  }),
  isModification: z.boolean(),
})
