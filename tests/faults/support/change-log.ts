import type { Rest } from '@sheaf/testkit/rest'
import { requireOk } from '../../support/webhooks'

/** An event of one row, from the log of its document. */
export interface RowEvent {
  readonly kind: 'add' | 'update' | 'remove'
  readonly id: number
  /** Its columns as of the event, or as they were when it was removed. */
  readonly cells: Readonly<Record<string, unknown>>
}

/** A change in the log, as the API returns it. */
export interface Change {
  readonly seq: number
  readonly operations: readonly Operation[]
}

interface Operation {
  readonly action: string
  readonly tableId: string
  readonly rowIds?: readonly number[]
  readonly columns?: Readonly<Record<string, { readonly new?: readonly unknown[] }>>
}

const kinds: Readonly<Record<string, RowEvent['kind']>> = {
  addRows: 'add',
  updateRows: 'update',
  removeRows: 'remove',
}

/** Everything ever committed to the rows of a table, in order. */
export async function readRowEvents(rest: Rest, doc: string, tableId: string): Promise<RowEvent[]> {
  const rows = new Map<number, Record<string, unknown>>()
  const events: RowEvent[] = []
  for (const { operations } of await readChanges(rest, doc))
    for (const { action, rowIds = [], columns = {}, ...operation } of operations) {
      const kind = kinds[action]
      if (operation.tableId !== tableId || !kind) continue
      rowIds.forEach((id, index) => {
        const cells = { ...rows.get(id) }
        for (const [column, values] of Object.entries(columns))
          if (values.new) cells[column] = values.new[index]
        rows.set(id, cells)
        events.push({ kind, id, cells })
      })
    }
  return events
}

/** All changes of a document, in order, as the API returns them. */
export async function readChanges(rest: Rest, doc: string): Promise<Change[]> {
  const changes: Change[] = []
  for (;;) {
    const query = { since: String(changes.at(-1)?.seq ?? 0) }
    const answer = await rest.get<{ changes: Change[] }>(`${doc}/changes`, { query })
    const page = requireOk(answer).changes
    if (page.length === 0) return changes
    changes.push(...page)
  }
}
