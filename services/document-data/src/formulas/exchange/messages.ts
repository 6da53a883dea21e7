import type { Author } from '../../store/log/log'
import type { Schema } from '../../store/schema/schema'
import { triggerColumnsOf } from '../../store/schema/trigger-columns'
import type { StopReason } from '../../values/error-cells'
import { isComputed } from '../../store/structure/column-cells'
import type { SchemaColumns } from '../dependencies/formula-columns'

/**
 * Cells to compute: rows by id, or a range of row ids including both ends. A trigger formula runs in `conditional` rows
 * only if a cell of a column that it names is computed and differs.
 */
export type DirtyMessage =
  | {
      readonly ref: number
      readonly rows: readonly number[]
      readonly conditional?: readonly number[]
    }
  | { readonly ref: number; readonly from: number; readonly to: number }

/** Row ids: a list, or the first and the last one of consecutive ids. */
export type RowsMessage = readonly number[] | { readonly from: number; readonly to: number }

/** A lookup as the evaluator reports it. */
export interface LookupMessage {
  readonly table: string
  readonly keys: readonly number[]
  readonly contains: readonly boolean[]
}

/** A read as the evaluator reports it. */
export interface ReadMessage {
  readonly from: 'row' | 'any' | LookupMessage
  readonly path?: readonly number[]
  readonly column?: number
  readonly table?: string
}

/** The facts that end an exchange. */
export interface DoneMessage {
  readonly type: 'done'
  readonly relations: readonly { readonly column: number; readonly reads: readonly ReadMessage[] }[]
  readonly lookups: readonly {
    readonly column: number
    readonly lookup: LookupMessage
    readonly rows: RowsMessage
    /** Texts of keys, … */
    readonly texts: readonly string[]
    /** … and the places in `texts` of the keys that each row looks up. */
    readonly keys: readonly (readonly number[])[]
  }[]
  readonly timings: readonly {
    readonly column: number
    readonly cells: number
    readonly errors: number
    readonly micros: number
  }[]
  readonly volatile: readonly number[]
  /** Row ids and lines of the errors of a formula that was checked; 0 for an unknown line. */
  readonly lines?: readonly (readonly [number, number])[]
}

/** The time that computing cells has taken, in microseconds. */
export function microsOf(timings: DoneMessage['timings']): number {
  return timings.reduce((sum, { micros }) => sum + micros, 0)
}

/** An error of syntax. Lines and columns count from 1; 0 when the place is not known. */
export interface SyntaxErrorMessage {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** What is known of a formula that is checked before it runs. */
export interface CheckedMessage {
  readonly type: 'checked'
  readonly syntax: readonly SyntaxErrorMessage[]
  /** The names that formulas see: functions, tables, modules, and the names of Python. */
  readonly names: readonly string[]
}

/** What an evaluator sends. */
export type EvaluatorMessage =
  | { readonly type: 'computing'; readonly column: number }
  | {
      readonly type: 'read'
      readonly column?: number
      readonly table?: string
      readonly rows?: readonly number[]
    }
  | {
      readonly type: 'result'
      readonly column: number
      readonly rows: readonly number[]
      readonly values: readonly (string | number | null)[]
    }
  | CheckedMessage
  | DoneMessage

/** A column that is not computed to its end. */
export interface PendingMessage {
  readonly ref: number
  readonly after: number
}

/** A column whose formula was stopped. */
export interface StoppedMessage {
  readonly ref: number
  readonly reason: StopReason
}

/** The columns whose cells are not all valid, as the evaluator takes them. */
export function unfinished(computed: SchemaColumns['computed']): {
  readonly pending: readonly PendingMessage[]
  readonly stopped: readonly StoppedMessage[]
} {
  return {
    pending: computed.flatMap(({ column: { ref, pendingAfter: after, stopped } }) =>
      after === undefined || stopped ? [] : [{ ref, after }],
    ),
    stopped: computed.flatMap(({ column: { ref, stopped: reason } }) =>
      reason ? [{ ref, reason }] : [],
    ),
  }
}

/** The name `user` of trigger formulas: its attributes; undefined for Sheaf itself. */
export type UserMessage = Readonly<Record<string, string | number | boolean>>

/** What trigger formulas learn of the author of a write. */
export function userOf({ userId, person }: Partial<Author> = {}): UserMessage | undefined {
  if (!person || userId === undefined) return undefined
  const { name, email, access, isAnonymous } = person
  return {
    UserID: userId,
    Name: name,
    Email: email,
    Access: access,
    IsLoggedIn: !isAnonymous,
    SessionID: `u${userId}`,
    Type: isAnonymous ? 'anonymous' : 'login',
  }
}

/** Bounds of what a formula may return in one answer. */
const isRef = (value: unknown): value is number => Number.isSafeInteger(value)
const isRefs = (value: unknown): value is number[] => Array.isArray(value) && value.every(isRef)

/**
 * Checks a message of an evaluator. The process runs formulas, so what it sends is not trusted: throws for anything
 * that is not a message.
 */
export function parseMessage(message: Fields): EvaluatorMessage {
  const parsed =
    message.type === 'done' && isDone(message)
      ? message
      : (parseRead(message) ?? parseWork(message) ?? parseChecked(message))
  if (!parsed) throw new Error('the evaluator sent something that is not a message')
  return parsed
}

type Fields = Readonly<Record<string, unknown>>

function parseWork({ type, column, rows, values }: Fields): EvaluatorMessage | undefined {
  if (!isRef(column)) return undefined
  if (type === 'computing') return { type, column }
  if (type !== 'result' || !Array.isArray(values)) return undefined
  const ids = readRows(rows, values.length)
  return ids && isValues(values, ids.length) ? { type, column, rows: ids, values } : undefined
}

function isKeys(keys: unknown, texts: unknown): keys is number[][] {
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) return false
  const isPlace = (place: number) => place >= 0 && place < texts.length
  return Array.isArray(keys) && keys.every((of) => isRefs(of) && of.every(isPlace))
}

/** Reads `count` row ids; undefined for anything else. */
export function readRows(rows: unknown, count: number): number[] | undefined {
  if (Array.isArray(rows)) return isRefs(rows) && rows.length === count ? rows : undefined
  const { from, to } = (rows ?? {}) as Readonly<Record<string, unknown>>
  if (!isRef(from) || !isRef(to) || to - from !== count - 1) return undefined
  return Array.from({ length: count }, (_, index) => from + index)
}

function parseRead({ type, column, table, rows }: Fields): EvaluatorMessage | undefined {
  if (type !== 'read' || (rows !== undefined && !isRefs(rows))) return undefined
  if (isRef(column)) return { type, column, rows }
  return typeof table === 'string' ? { type, table, rows } : undefined
}

function parseChecked(message: Fields): CheckedMessage | undefined {
  const { type, syntax, names } = message
  const isError = ({ line, column, message: text }: Fields) =>
    isRef(line) && isRef(column) && typeof text === 'string'
  return type === 'checked' && isListOf(syntax, isError) && isTexts(names)
    ? (message as Fields & CheckedMessage)
    : undefined
}

const isTexts = (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

function isValues(value: unknown, length: number): value is (string | number | null)[] {
  return (
    Array.isArray(value) &&
    value.length === length &&
    value.every((item) => item === null || typeof item === 'string' || typeof item === 'number')
  )
}

function isDone(message: Fields): message is Fields & DoneMessage {
  const { relations, lookups, timings, volatile, lines = [] } = message
  return (
    isRefs(volatile) &&
    Array.isArray(lines) &&
    lines.every((line) => isRefs(line) && line.length === 2) &&
    isListOf(timings, ({ column, cells, errors, micros }) =>
      [column, cells, errors, micros].every((value) => typeof value === 'number'),
    ) &&
    isListOf(
      relations,
      ({ column, reads }) => isRef(column) && isListOf(reads, (read) => isRead(read)),
    ) &&
    isListOf(
      lookups,
      ({ column, lookup, rows, texts, keys }) =>
        isRef(column) &&
        isLookup(lookup) &&
        isKeys(keys, texts) &&
        readRows(rows, keys.length) !== undefined,
    )
  )
}

function isRead({ from, path = [], column, table }: Record<string, unknown>): boolean {
  return (
    (from === 'row' || from === 'any' || isLookup(from)) &&
    isRefs(path) &&
    (column === undefined || isRef(column)) &&
    (table === undefined || typeof table === 'string')
  )
}

function isLookup(value: unknown): value is LookupMessage {
  const { table, keys, contains } = (value ?? {}) as Record<string, unknown>
  return (
    typeof table === 'string' &&
    isRefs(keys) &&
    Array.isArray(contains) &&
    contains.length === keys.length &&
    contains.every((flag) => typeof flag === 'boolean')
  )
}

function isListOf(value: unknown, isItem: (item: Record<string, unknown>) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (item: unknown) =>
        typeof item === 'object' && item !== null && isItem(item as Record<string, unknown>),
    )
  )
}

const texts = new WeakMap<Schema, string>()

/** The schema as the evaluator takes it, as JSON; made once for each schema. */
export function schemaMessage(schema: Schema): string {
  const known = texts.get(schema)
  if (known !== undefined) return known
  const triggers = new Map(
    triggerColumnsOf(schema).all.flatMap(({ column, deps, isStopped }) =>
      isStopped ? [] : [[column, deps]],
    ),
  )
  const tables = schema.tables.map(({ tableId, columns }) => ({
    tableId,
    columns: columns.map((column) => ({
      ref: column.ref,
      colId: column.id,
      type: column.typeName,
      ...(isComputed(column) && { formula: column.formula }),
      ...(triggers.has(column) && { trigger: column.formula, deps: triggers.get(column) }),
      ...(column.visibleCol !== 0 && { visibleCol: column.visibleCol }),
    })),
  }))
  const { timezone } = schema.settings
  const text = JSON.stringify({ type: 'schema', timezone, tables })
  texts.set(schema, text)
  return text
}
