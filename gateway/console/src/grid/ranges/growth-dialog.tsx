import type { BatchOperation } from '@sheaf/client'
import type { ReactNode } from 'react'
import type { AnyTables } from '../../api/sheaf'
import { FormDialog } from '../../components/dialog'
import { useApiMutation } from '../../components/use-api-mutation'
import { makeChanges } from '../../undo/make-change'
import { useAnnounceChange } from '../../undo/undo-provider'
import type { PastePlan } from '../clipboard/paste-plan'

interface GrowthDialogProps {
  readonly docId: string
  readonly tableId: string
  /** A paste that needs more rows or columns than the table has. */
  readonly plan: PastePlan
  /** Shows which rows were not pasted. */
  readonly report: (problem?: string) => void
  readonly onClose: () => void
}

/** Asks whether to add the rows and columns that a paste needs, and pastes as one change. */
export function GrowthDialog(props: GrowthDialogProps): ReactNode {
  const { docId, tableId, plan, report, onClose } = props
  const { mutate } = useApiMutation(['document', docId])
  const announce = useAnnounceChange()
  const { rows, columns } = plan.growth ?? { rows: [], columns: [] }
  const missing = [count(rows.length, 'row'), count(columns.length, 'column')]
    .filter((part) => part !== '')
    .join(' and ')
  const paste = async () => {
    const pasted = makeChanges(docId, operationsOf(tableId, plan))
    announce(
      `Paste with ${missing} added`,
      pasted.then(({ seq }) => seq),
    )
    await mutate(() => pasted)
    report(plan.problem)
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

function operationsOf(table: string, plan: PastePlan): BatchOperation<AnyTables>[] {
  const { changes, growth } = plan
  const operations: BatchOperation<AnyTables>[] = []
  if (growth && growth.columns.length > 0) {
    const columns = growth.columns.map((id) => ({ id, fields: { type: 'Any', label: id } }))
    operations.push({ op: 'addColumns', table, columns })
  }
  if (changes.length > 0) operations.push({ op: 'updateRecords', table, records: changes })
  if (growth && growth.rows.length > 0)
    operations.push({
      op: 'addRecords',
      table,
      records: growth.rows.map((fields) => ({ fields })),
    })
  return operations
}
