import { asBuffer } from '@sheaf/protos/bytes'
import type { ReadChangesResponse } from '@sheaf/protos/sheaf/document_data/v1/changes'
import {
  Cause,
  type ChangeEvent,
  type ColumnChange,
  type Operation,
  type RowChange,
  type SchemaChange,
} from '@sheaf/protos/sheaf/events/v1/changes'

/** What the JSON of a change includes. */
export interface ChangeJsonOptions {
  /** False to omit previous cells and metadata. */
  readonly oldValues: boolean
  /** Further fields of the change, placed after `keyId`. */
  readonly more?: Readonly<Record<string, unknown>>
}

const causes: Readonly<Record<number, string>> = {
  [Cause.API]: 'api',
  [Cause.IMPORT]: 'import',
  [Cause.FORMULA]: 'formula',
  [Cause.UNDO]: 'undo',
  [Cause.FORM]: 'form',
}

/** The name of a cause in the API. */
export const causeName = (cause: Cause): string => causes[cause] ?? 'unknown'

/**
 * Encodes a change as clients receive it: one JSON object on one line. Lists of values are JSON already and
 * are copied verbatim, since they may be as large as a table.
 */
export function changeJson(event: ChangeEvent, { oldValues, more }: ChangeJsonOptions): Buffer {
  const parts = [headOf(event, more)]
  event.operations.forEach((operation, index) => {
    if (index > 0) parts.push(COMMA)
    writeOperation(parts, operation, oldValues)
  })
  parts.push(END)
  return Buffer.concat(parts)
}

/** Writes changes that arrive as entries and parts of entries, piece by piece, in the same form. */
export class ChangeWriter {
  private isOpen = false
  private hasOperations = false

  /** True between the parts of one entry. */
  get isMidway(): boolean {
    return this.isOpen
  }

  /** Returns what a response adds, and whether the change is complete with it. */
  write({ change, continued }: ReadChangesResponse): { text: Buffer; isWhole: boolean } {
    if (!change) return { text: Buffer.alloc(0), isWhole: !this.isOpen }
    const parts: Buffer[] = []
    if (!this.isOpen) {
      parts.push(headOf(change))
      this.hasOperations = false
    }
    for (const operation of change.operations) {
      if (this.hasOperations) parts.push(COMMA)
      this.hasOperations = true
      writeOperation(parts, operation, true)
    }
    if (!continued) parts.push(END)
    this.isOpen = continued
    return { text: Buffer.concat(parts), isWhole: !continued }
  }
}

/** Writes everything before the operations. */
function headOf(
  { seq, timeMs, userId, keyId, cause, truncated }: ChangeEvent,
  more?: ChangeJsonOptions['more'],
): Buffer {
  const head = JSON.stringify({
    seq,
    time: new Date(timeMs).toISOString(),
    // System changes have no user.
    userId: userId === 0 ? null : userId,
    // Absent below editor.
    keyId: keyId === 0 ? null : keyId,
    ...more,
    cause: causeName(cause),
    ...(truncated && { truncated }),
  })
  return Buffer.from(`${head.slice(0, -1)},"operations":[`)
}

const COMMA = Buffer.from(',')
const END = Buffer.from(']}')

/** Writes an operation as one JSON object. */
export function writeOperation(
  parts: Buffer[],
  { operation }: Operation,
  oldValues: boolean,
): void {
  if (operation?.$case === 'schema') writeSchema(parts, operation.value, oldValues)
  else if (operation) writeRows(parts, operation.$case, operation.value, oldValues)
  else throw new Error('a change has an unknown operation')
}

function writeRows(
  parts: Buffer[],
  action: string,
  { tableId, tableRef, rowIds, columns }: RowChange,
  oldValues: boolean,
): void {
  const head = JSON.stringify({ action, tableId, tableRef, rowIds })
  parts.push(Buffer.from(`${head.slice(0, -1)},"columns":{`))
  columns.forEach((column, index) => {
    if (index > 0) parts.push(COMMA)
    writeColumn(parts, column, oldValues)
  })
  parts.push(Buffer.from('}}'))
}

function writeColumn(parts: Buffer[], column: ColumnChange, oldValues: boolean): void {
  const { colId, colRef, oldValuesJson, newValuesJson } = column
  parts.push(Buffer.from(`${JSON.stringify(colId)}:{"colRef":${colRef}`))
  if (oldValues) writeJson(parts, 'old', oldValuesJson)
  writeJson(parts, 'new', newValuesJson)
  parts.push(Buffer.from('}'))
}

/** Converts a kind to its action: `add_table` becomes `addTable`. */
function actionOf(kind: string): string {
  return kind.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

function writeSchema(
  parts: Buffer[],
  { kind, tableId, tableRef, colId, colRef, oldJson, newJson, ...cells }: SchemaChange,
  oldValues: boolean,
): void {
  const column = colRef === 0 ? {} : { colId, colRef }
  const head = JSON.stringify({ action: actionOf(kind), tableId, tableRef, ...column })
  parts.push(Buffer.from(head.slice(0, -1)))
  if (oldValues) writeJson(parts, 'old', oldJson)
  writeJson(parts, 'new', newJson)
  if (oldValues && cells.oldValuesJson.length > 0) {
    parts.push(Buffer.from(`,"cells":{"rowIds":${JSON.stringify(cells.rowIds)}`))
    writeJson(parts, 'old', cells.oldValuesJson)
    parts.push(Buffer.from('}'))
  }
  parts.push(Buffer.from('}'))
}

/** Omits absent lists: rows that were added had no previous values. */
function writeJson(parts: Buffer[], name: string, json: Uint8Array): void {
  if (json.length > 0) parts.push(Buffer.from(`,"${name}":`), asBuffer(json))
}
