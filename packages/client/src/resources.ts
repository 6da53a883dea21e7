/** Role of the caller on a site, workspace or document. */
export type Role = 'owners' | 'editors' | 'viewers'

/** A site. */
export interface Org {
  readonly id: number
  readonly name: string
  readonly domain: string
  /** Owner of a personal site; null for a team site. */
  readonly owner: {
    readonly id: number
    readonly name: string
    readonly picture: string | null
  } | null
  readonly access: Role | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** A document in a listing. */
export interface DocumentSummary {
  readonly id: number
  readonly uuid: string
  readonly name: string
  readonly access: Role | null
  readonly isPinned: boolean
  readonly urlId: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Time of the move to the trash; absent if it is not in the trash. */
  readonly removedAt?: string
}

/** A document with its workspace and site. */
export interface DocumentDescription extends DocumentSummary {
  readonly workspace: {
    readonly id: number
    readonly name: string
    readonly access: Role | null
    readonly org: Org
  }
}

/** A workspace with the documents in it that the caller can access. */
export interface Workspace {
  readonly id: number
  readonly name: string
  readonly access: Role | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly removedAt?: string
  readonly docs: readonly DocumentSummary[]
  readonly orgDomain: string
}

/** Metadata of a column. */
export interface ColumnFields {
  readonly colRef: number
  readonly parentId: number
  readonly parentPos: number
  /** Such as `Text`, `Int`, `DateTime:Europe/Berlin` or `Ref:People`. */
  readonly type: string
  /** Display options as JSON text. */
  readonly widgetOptions: string
  readonly isFormula: boolean
  /** Empty for a column without one. */
  readonly formula: string
  readonly label: string
  readonly description: string
  /** Whether the id stays when the label changes. */
  readonly untieColIdFromLabel: boolean
  readonly summarySourceCol: number
  readonly displayCol: number
  /** Ref of the column of the referenced table that references display; 0 for the row id. */
  readonly visibleCol: number
  readonly rules?: unknown
  /** When a trigger formula runs. */
  readonly recalcWhen: number
  readonly recalcDeps?: unknown
  readonly reverseCol: number
}

/** A column of a table. */
export interface Column {
  readonly id: string
  readonly fields: ColumnFields
}

/** Fields of a column to add or to change. Absent ones take their default, or stay as they are. */
export interface ColumnSettings {
  readonly type?: string
  readonly label?: string
  readonly formula?: string
  readonly isFormula?: boolean
  /** Display options as JSON text: `'{"choices":["red","blue"]}'`. */
  readonly widgetOptions?: string
  readonly visibleCol?: number
  readonly description?: string
  readonly untieColIdFromLabel?: boolean
  readonly recalcWhen?: number
  readonly recalcDeps?: unknown
  readonly parentPos?: number
}

/** A column to add. */
export interface NewColumn {
  /** Requested id, adjusted to a valid and unused one. */
  readonly id?: string
  readonly fields?: ColumnSettings
}

/** Changes of a column by its id. */
export interface ColumnUpdate {
  readonly id: string
  /** `colId` is a new id. */
  readonly fields: ColumnSettings & { readonly colId?: string }
}

/** A table of a document. */
export interface TableDescription {
  readonly id: string
  readonly fields: {
    readonly tableRef: number
    readonly primaryViewId: number
    readonly summarySourceTable: number
    readonly onDemand: boolean
    readonly rawViewSectionRef: number
    readonly recordCardViewSectionRef: number
  }
  /** Present if requested. */
  readonly columns?: readonly Column[]
}

/** A table to add. */
export interface NewTable {
  /** Requested id, adjusted to a valid and unused one. */
  readonly id?: string
  readonly columns: readonly NewColumn[]
}

/** Changes of a table by its id. */
export interface TableUpdate {
  readonly id: string
  readonly fields: { readonly tableId?: string; readonly onDemand?: boolean }
}

/** An attachment of a document. */
export interface Attachment {
  readonly id: number
  readonly fields: {
    readonly fileName: string
    /** In bytes. */
    readonly fileSize: number
    readonly timeUploaded: string
  }
}
