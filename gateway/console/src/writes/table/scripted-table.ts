import type { Row } from '../../api/resources'
import type { CellsApi, EnteredRow, PresentTable, StoredRows } from './cells-api'
import type { TableView } from './table-view'
import { TableWrites } from './table-writes'

const error = (status: number, reason = 'X') => Object.assign(new Error(reason), { status, reason })

/** A table of rows named `old`, on a server that trims values, rejects some, and can be away. */
export class ScriptedTable implements CellsApi {
  readonly names = new Map([1, 2, 3].map((id) => [id, 'old']))
  readonly keys: string[] = []
  /** Number of calls but those that read rows. */
  calls = 0
  isAway = false
  /** Number of reads that get no answer. */
  lostReads = 0
  /** It answers changes to this name with an internal error, after it has made them if `isMadeAnyway`. */
  failsFor: string | undefined
  isMadeAnyway = false
  /** The present id of the column Name; undefined after it was deleted. */
  columnId: string | undefined = 'Name'
  /** The id of a column that was added since, and what was written to it. */
  addedId: string | undefined
  readonly added: unknown[] = []
  /** It has another id than the console knows. */
  isRenamed = false
  isDeleted = false
  onReadTable = (): void => {}
  /** The answer to the next change is lost, though it is made. */
  losesAnswer = false
  seq = 10
  private readonly done = new Set<string>()

  readonly change = async (
    records: readonly { id: number; fields: object; expect?: object }[],
    key: string,
  ): Promise<number> => {
    this.keys.push(key)
    this.calls++
    this.requirePresent()
    if (this.done.has(key)) return this.seq
    const added = records.flatMap(({ fields }) => Object.entries(fields))
    this.added.push(...added.filter(([colId]) => colId === this.addedId))
    const changes = records.map(({ id, fields, expect }) => ({
      id,
      name: this.nameOf(fields) ?? '',
      expected: expect && this.nameOf(expect),
    }))
    const isFailing = changes.some(({ name }) => name === this.failsFor)
    if (isFailing && !this.isMadeAnyway) throw error(500, 'INTERNAL')
    for (const { id, name, expected } of changes) {
      if (name === 'bad') throw error(400, 'refused')
      if (expected !== undefined && expected !== this.names.get(id))
        throw error(412, 'CELL_CHANGED')
    }
    for (const { id, name } of changes) this.names.set(id, name.trim())
    if (isFailing) throw error(500, 'INTERNAL')
    this.done.add(key)
    this.seq++
    if (!this.losesAnswer) return this.seq
    this.losesAnswer = false
    throw error(0, 'CONNECTION_FAILED')
  }

  readonly readRows = async (ids: readonly number[]): Promise<StoredRows> => {
    if (this.isAway || this.lostReads-- > 0) throw error(0, 'CONNECTION_FAILED')
    this.requirePresent()
    return { rows: ids.map((id) => this.row(id)), seq: this.seq }
  }

  readonly readTable = async (): Promise<PresentTable | undefined> => {
    this.calls++
    if (this.isAway) throw error(0, 'CONNECTION_FAILED')
    if (this.isDeleted) return undefined
    this.onReadTable()
    const columns = [
      { id: this.columnId, colRef: 7 },
      { id: this.addedId, colRef: 8 },
    ].flatMap(({ id, colRef }) => (id === undefined ? [] : [{ id, colRef }]))
    const isRenamed = this.isRenamed
    this.isRenamed = false
    return { isRenamed, columns }
  }

  row(id: number): Row {
    return { id, fields: { [this.columnId ?? 'Other']: this.names.get(id) ?? '' } }
  }

  private requirePresent(): void {
    if (this.isAway) throw error(0, 'CONNECTION_FAILED')
    if (this.isRenamed || this.isDeleted) throw error(404, 'TABLE_NOT_FOUND')
  }

  /** Returns the cell of the only column. */
  private nameOf(fields: object): string | undefined {
    for (const [colId, name] of Object.entries(fields)) {
      if (colId !== this.columnId) throw error(400, 'INVALID_COLUMN')
      return name as string
    }
    return undefined
  }
}

interface OpenedTable {
  readonly writes: TableWrites
  /** Returns the shown value of a row. */
  readonly shown: (id: number) => unknown
  /** The values that the first row has shown. */
  readonly history: readonly unknown[]
  readonly detach: () => void
  /** Returns a value as it is entered in a row. */
  readonly enter: (name: string, id?: number) => EnteredRow
}

/** Opens a view of the table that shows stored and entered values. */
export function openTable(server: ScriptedTable): OpenedTable {
  const writes = new TableWrites(server, () => {})
  const stored = new Map([1, 2, 3].map((id) => [id, server.row(id)]))
  const shown = (id: number) => writes.show(stored.get(id) as Row).fields.Name
  const history: unknown[] = []
  const view: TableView = {
    store: ({ rows }) => rows.forEach((row) => stored.set(row.id, row)),
    assume: (rows) => rows.forEach(({ id, fields }) => stored.set(id, { id, fields })),
    redraw() {
      if (history.at(-1) !== shown(1)) history.push(shown(1))
    },
  }
  const detach = writes.attach(view)
  const enter = (Name: string, id = 1): EnteredRow => {
    const before = (stored.get(id) as Row).fields
    return { id, fields: { Name }, before, place: `row ${id}`, colRefs: { Name: 7 } }
  }
  return { writes, shown, history, detach, enter }
}

/** Resolves once something holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
}
