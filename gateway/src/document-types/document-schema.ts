import type { Column as WireColumn } from '@sheaf/protos/sheaf/document_data/v1/columns'

/** What generated types say of a column. */
export interface ColumnSchema {
  readonly id: string
  readonly type: ColumnType
  readonly label: string
  readonly description: string
  /** True for a formula column, which cannot be written. */
  readonly isComputed: boolean
}

/** Columns of a table, in order. */
export interface TableSchema {
  readonly id: string
  readonly columns: readonly ColumnSchema[]
}

/** The type of a column, with what restricts its values. */
export type ColumnType =
  | { readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'any' }
  /** Without choices, any text. */
  | { readonly kind: 'choice' | 'choiceList'; readonly choices: readonly string[] }
  | { readonly kind: 'reference' | 'referenceList'; readonly table: string }

const plainTypes: Readonly<Record<string, ColumnType>> = {
  Text: { kind: 'text' },
  Numeric: { kind: 'number' },
  Int: { kind: 'integer' },
  Bool: { kind: 'boolean' },
  Date: { kind: 'date' },
  DateTime: { kind: 'date' },
  ManualSortPos: { kind: 'number' },
  PositionNumber: { kind: 'number' },
  Attachments: { kind: 'referenceList', table: '_grist_Attachments' },
}

/** Describes a table by its visible columns. */
export function readTableSchema(id: string, columns: readonly WireColumn[]): TableSchema {
  return { id, columns: columns.map(readColumn) }
}

function readColumn({ id, fields }: WireColumn): ColumnSchema {
  return {
    id,
    type: readType(fields?.type ?? 'Any', fields?.widgetOptions ?? ''),
    label: fields?.label ?? '',
    description: fields?.description ?? '',
    // A column whose formula is empty becomes a data column with the first value that is written.
    isComputed: fields?.isFormula === true && fields.formula !== '',
  }
}

function readType(type: string, widgetOptions: string): ColumnType {
  const [, name = '', argument = ''] = /^(\w+)(?::(.*))?$/s.exec(type) ?? []
  if (name === 'Choice') return { kind: 'choice', choices: readChoices(widgetOptions) }
  if (name === 'ChoiceList') return { kind: 'choiceList', choices: readChoices(widgetOptions) }
  if (name === 'Ref') return { kind: 'reference', table: argument }
  if (name === 'RefList') return { kind: 'referenceList', table: argument }
  return Object.hasOwn(plainTypes, name) ? (plainTypes[name] ?? { kind: 'any' }) : { kind: 'any' }
}

/** Display options are stored as the client sent them, so that any text is possible. */
function readChoices(widgetOptions: string): string[] {
  try {
    const { choices } = JSON.parse(widgetOptions) as { choices?: unknown }
    if (!Array.isArray(choices)) return []
    return [...new Set(choices.filter((choice) => typeof choice === 'string'))]
  } catch {
    return []
  }
}
