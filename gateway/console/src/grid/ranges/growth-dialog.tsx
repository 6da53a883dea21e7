import { PreconditionFailedError, type BatchOperation } from '@sheaf/client'
import type { ReactNode } from 'react'
import { docOf, type AnyTables } from '../../api/sheaf'
import { FormDialog } from '../../components/dialog'
import { useApiMutation } from '../../components/use-api-mutation'
import { makeChanges, type MadeChange } from '../../undo/make-change'
import { useAnnounceChange } from '../../undo/undo-provider'
import { freeIds } from '../clipboard/free-ids'
import type { PastePlan, planPaste } from '../clipboard/paste-plan'

/** A paste that needs more rows or columns than the table has. */
export interface Growth extends PastePlan {
  /** Plans it with columns of these ids. */
  readonly planWith: (added: readonly string[]) => ReturnType<typeof planPaste>
}

interface GrowthDialogProps {
  readonly docId: string
  readonly tableId: string
  readonly growth: Growth
  readonly onClose: () => void
}

/** Asks whether to add the rows and columns that a paste needs, and pastes as one change. */
export function GrowthDialog({ docId, tableId, growth, onClose }: GrowthDialogProps): ReactNode {
  const { mutate } = useApiMutation(['document', docId])
  const announce = useAnnounceChange()
  const missing = [count(growth.addedRows.length, 'row'), count(growth.missingColumns, 'column')]
    .filter((part) => part !== '')
    .join(' and ')
  const paste = async () => {
    const pasted = pasteGrown(docId, tableId, growth)
    announce(
      `Paste with ${missing} added`,
      pasted.then(({ seq }) => seq),
    )
    await mutate(() => pasted)
  }
  return (
    <FormDialog
      title={`Add ${missing}?`}
      submit={`Add ${missing}`}
      onClose={onClose}
      onSubmit={paste}
    >
      <p>The pasted cells reach beyond the end of the table.</p>
    </FormDialog>
  )
}

const count = (number: number, what: string): string =>
  number === 0 ? '' : `${number.toLocaleString()} ${what}${number === 1 ? '' : 's'}`

/** How often a paste with new columns is tried when the document changes meanwhile. */
const MAX_ATTEMPTS = 5

/**
 * Pastes with new rows and columns. The ids of the columns must still be free when they are added: a column of another id would be
 * added otherwise, and the cells would be written to that of somebody else.
 */
async function pasteGrown(
  docId: string,
  tableId: string,
  growth: Growth,
): Promise<Pick<MadeChange, 'seq'>> {
  if (growth.missingColumns === 0) return makeChanges(docId, operationsOf(tableId, [], growth))
  const doc = docOf(docId)
  for (let attempt = 1; ; attempt++) {
    const { etag } = await doc.position()
    const columns = await doc.table(tableId).columns.list({ hidden: true })
    const ids = freeIds(
      columns.map(({ id }) => id),
      growth.missingColumns,
    )
    const plan = growth.planWith(ids)
    if ('problem' in plan) throw new Error(plan.problem)
    try {
      return await makeChanges(docId, operationsOf(tableId, ids, plan), { ifMatch: etag })
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !(error instanceof PreconditionFailedError)) throw error
    }
  }
}

function operationsOf(
  table: string,
  ids: readonly string[],
  { changes, addedRows }: PastePlan,
): BatchOperation<AnyTables>[] {
  const columns = ids.map((id) => ({ id, fields: { type: 'Any', label: id } }))
  const records = addedRows.map((fields) => ({ fields }))
  return [
    ...(columns.length > 0 ? [{ op: 'addColumns', table, columns } as const] : []),
    ...(changes.length > 0 ? [{ op: 'updateRecords', table, records: changes } as const] : []),
    ...(records.length > 0 ? [{ op: 'addRecords', table, records } as const] : []),
  ]
}
