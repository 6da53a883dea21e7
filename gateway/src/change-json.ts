import type { ReadChangesResponse } from '@sheaf/protos/sheaf/document_data/v1/changes'
import {
  Cause,
  type ChangeEvent,
  type Operation,
  type RowChange,
} from '@sheaf/protos/sheaf/events/v1/changes'

/*
 * Changes as REST shows them. Values come as JSON and are passed on as they are, however large; nothing is parsed.
 */

const causes: Readonly<Partial<Record<Cause, string>>> = {
  [Cause.API]: 'api',
  [Cause.IMPORT]: 'import',
  [Cause.FORMULA]: 'formula',
  [Cause.UNDO]: 'undo',
}

/** The text of changes that come as entries and parts of entries, piece by piece. */
export class ChangeWriter {
  private isOpen = false
  private hasOperations = false

  /** True between the parts of one entry. */
  get isMidway(): boolean {
    return this.isOpen
  }

  /** What a response adds, and whether the change is whole with it. */
  write({ change, continued }: ReadChangesResponse): { text: Buffer; isWhole: boolean } {
    const parts: (Buffer | string)[] = []
    if (!change) return { text: Buffer.alloc(0), isWhole: !this.isOpen }
    if (!this.isOpen) {
      parts.push(head(change))
      this.hasOperations = false
    }
    for (const operation of change.operations) {
      if (this.hasOperations) parts.push(',')
      this.hasOperations = true
      pushOperation(parts, operation)
    }
    if (!continued) parts.push(']}')
    this.isOpen = continued
    const text = Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
    )
    return { text, isWhole: !continued }
  }
}

function head({ seq, timeMs, userId, cause }: ChangeEvent): string {
  const facts = { seq, time: new Date(timeMs).toISOString(), userId, cause: causes[cause] ?? '' }
  return `${JSON.stringify(facts).slice(0, -1)},"operations":[`
}

function pushOperation(parts: (Buffer | string)[], { operation }: Operation): void {
  if (operation?.$case !== 'schema') {
    if (operation) pushRows(parts, operation.$case, operation.value)
    return
  }
  const { kind, tableId, tableRef, colId, colRef, oldJson, newJson } = operation.value
  const column = colRef === 0 ? {} : { colId, colRef }
  const facts = { kind: inCamelCase(kind), tableId, tableRef, ...column }
  parts.push(JSON.stringify(facts).slice(0, -1))
  pushValues(parts, oldJson, newJson)
  parts.push('}')
}

function pushRows(parts: (Buffer | string)[], kind: string, change: RowChange): void {
  const { tableId, tableRef, rowIds, columns } = change
  parts.push(JSON.stringify({ kind, tableId, tableRef, rowIds }).slice(0, -1), ',"columns":[')
  columns.forEach(({ colId, colRef, oldValuesJson, newValuesJson }, i) => {
    if (i > 0) parts.push(',')
    parts.push(JSON.stringify({ colId, colRef }).slice(0, -1))
    pushValues(parts, oldValuesJson, newValuesJson)
    parts.push('}')
  })
  parts.push(']}')
}

function pushValues(parts: (Buffer | string)[], before: Buffer, after: Buffer): void {
  if (before.length > 0) parts.push(',"old":', before)
  if (after.length > 0) parts.push(',"new":', after)
}

const inCamelCase = (kind: string) =>
  kind.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
