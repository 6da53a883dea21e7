import { z } from 'zod'

/** Actions; document-data validates the arguments of each. */
export const actions = z.array(z.array(z.unknown())).meta({
  description:
    'List of at most 1,000 actions, such as `["AddRecord", "People", null, {"Name": "Ann"}]`. `AddRecord`, `UpdateRecord` and `RemoveRecord` take a row id; ' +
    '`BulkAddRecord`, `BulkUpdateRecord` and `BulkRemoveRecord` take a list of row ids and lists of values. A negative id refers to a ' +
    'new row in later actions. At most 100 actions may concern tables and columns: `["AddTable", id, [{id, type, …}]]`, ' +
    '`["AddEmptyTable", id]`, `["RenameTable", id, newId]`, `["RemoveTable", id]`, `["AddColumn", tableId, colId, fields]` ' +
    '(also as `AddVisibleColumn` and `AddHiddenColumn`), `["ModifyColumn", tableId, colId, fields]`, ' +
    '`["RenameColumn", tableId, colId, newColId]`, `["RemoveColumn", tableId, colId]`, and updates and removals of rows of ' +
    '`_grist_Tables` and `_grist_Tables_column`. `["Calculate"]` changes nothing.',
})

/** Results of actions. */
export const appliedActions = z.object({
  actionNum: z
    .int()
    .meta({ description: 'Position of the change in the log; 0 if nothing changed' }),
  actionHash: z.null().describe('Always null'),
  retValues: z.array(z.unknown()).meta({
    description:
      'For each action: the new row id or ids; `{id, table_id, columns, views}` of a new table; `{colRef, colId}` of a new column; ' +
      'the new id of a renamed table or column; else null',
  }),
  isModification: z.boolean().describe('Whether the document was changed'),
})
