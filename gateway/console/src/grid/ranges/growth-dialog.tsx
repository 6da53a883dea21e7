import { PreconditionFailedError } from '@sheaf/client'
import type { ReactNode } from 'react'
import type { Row } from '../../api/resources'
import { docOf } from '../../api/sheaf'
import { FormDialog } from '../../components/overlays/dialog'
import { useApiMutation } from '../../components/use-api-mutation'
import { makeChanges, type MadeChange } from '../../undo/make-change'
import { useAnnounceChange } from '../../undo/undo-provider'
import { freeIds } from '../clipboard/free-ids'
import type { PastePlan, planPaste } from '../clipboard/paste-plan'
import { isCellChanged } from '../../writes/table/write-errors'
import { growthOperations } from './growth-operations'

/** A paste that needs more rows or columns than the table has. */
export interface Growth extends PastePlan {
  /** The rows that it changes, as they were read. */
  readonly rows: readonly Row[]
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

const CELLS_CHANGED =
  'Nothing was pasted: somebody else has changed these cells meanwhile. Close this and paste again.'

const count = (number: number, what: string): string =>
  number === 0 ? '' : `${number.toLocaleString()} ${what}${number === 1 ? '' : 's'}`

/** How often a paste with new columns is tried when the document changes meanwhile. */
const MAX_ATTEMPTS = 5

/** Pastes with new rows and columns, and overwrites nothing that somebody else has changed meanwhile. */
async function pasteGrown(
  docId: string,
  tableId: string,
  growth: Growth,
): Promise<Pick<MadeChange, 'seq'>> {
  try {
    if (growth.missingColumns > 0) return await pasteWithColumns(docId, tableId, growth)
    return await makeChanges(docId, growthOperations(tableId, growth, growth.rows))
  } catch (error) {
    throw isCellChanged(error) ? new Error(CELLS_CHANGED, { cause: error }) : error
  }
}

/**
 * Pastes with new columns. Their ids must still be free when they are added: a column of another id would be added otherwise, and the
 * cells would be written to that of somebody else.
 */
async function pasteWithColumns(
  docId: string,
  tableId: string,
  { missingColumns, rows, planWith }: Growth,
): Promise<Pick<MadeChange, 'seq'>> {
  const doc = docOf(docId)
  for (let attempt = 1; ; attempt++) {
    const { etag } = await doc.position()
    const columns = await doc.table(tableId).columns.list({ hidden: true })
    const ids = freeIds(
      columns.map(({ id }) => id),
      missingColumns,
    )
    const plan = planWith(ids)
    if ('problem' in plan) throw new Error(plan.problem)
    try {
      const operations = growthOperations(tableId, plan, rows, ids)
      return await makeChanges(docId, operations, { ifMatch: etag })
    } catch (error) {
      const isOther = error instanceof PreconditionFailedError && !isCellChanged(error)
      if (attempt === MAX_ATTEMPTS || !isOther) throw error
    }
  }
}
