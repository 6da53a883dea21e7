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
  /** Name of the user who made the last change; for editors and owners, if it is known. */
  readonly updatedBy?: string
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
  /** The caller's preferences in the document, when they were requested. */
  readonly preferences?: Readonly<Record<string, unknown>>
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

/** What a view of a table shows, and how. */
export interface ViewFields {
  /** Unique within the table. */
  readonly name: string
  /** `grid`, `board` or `form`. */
  readonly type: string
  /** Place among the views of the table. */
  readonly position: number
  readonly description: string
  /** Conditions by column, as records are selected. */
  readonly filter: Readonly<Record<string, unknown>>
  readonly sort: readonly string[]
  /** Columns in the order shown; those that are not listed follow in the order of the table. */
  readonly columns: readonly {
    readonly id: string
    /** Pixels. */
    readonly width?: number
    readonly hidden?: boolean
  }[]
  readonly frozenColumns: number
  readonly rowHeight: string
  readonly wrapText: boolean
  /** Columns by which rows are grouped, outermost first, as in `sort`; the first makes the lanes of a board. */
  readonly groupBy: readonly string[]
  /** `filled`, `empty`, `unique`, `sum`, `average`, `min` or `max`, by column. */
  readonly summaries: Readonly<Record<string, string>>
  /** What a view of type `form` asks for. */
  readonly form: FormSettings
}

/** What a form asks for. Absent parts are empty. */
export interface FormSettings {
  /** Empty for the name of the view. */
  readonly title?: string
  readonly description?: string
  /** Text of the button; empty for the usual one. */
  readonly submit?: string
  /** Shown once the form was sent. */
  readonly message?: string
  /** Whether the form is offered again once it was sent. */
  readonly again?: boolean
  readonly fields?: readonly FormSettingsField[]
}

/** A question of a form. */
export interface FormSettingsField {
  /** Column id. */
  readonly id: string
  /** Empty for the label of the column. */
  readonly label?: string
  readonly help?: string
  readonly required?: boolean
  /** Whether a text may have several lines. */
  readonly multiline?: boolean
}

/** A view of a table. */
export interface View {
  readonly id: number
  readonly fields: ViewFields
}

/** Fields of a view to add, or to change. Absent ones take their default, or stay as they are. */
export type ViewSettings = Partial<ViewFields>

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

/** A webhook to create: which changes of a table are posted to a URL. */
export interface NewWebhook {
  readonly url: string
  readonly tableId: string
  /** At least one. */
  readonly eventTypes: readonly ('add' | 'update' | 'remove')[]
  /** A column that must be true before a row is sent; null for none. */
  readonly isReadyColumn?: string | null
  /** Columns whose changes are updates; all if empty. */
  readonly watchedColIds?: readonly string[]
  /** Default: true. */
  readonly enabled?: boolean
  readonly name?: string
  readonly memo?: string
  /** Header `Authorization` of deliveries. */
  readonly authorization?: string
}

/** Changes of a webhook; absent fields stay as they are. */
export type WebhookUpdate = Partial<NewWebhook>

/** A webhook of a document, with the state of its queue. */
export interface Webhook {
  readonly id: string
  readonly fields: Required<Omit<NewWebhook, 'tableId' | 'eventTypes'>> & {
    readonly eventTypes: readonly string[]
    /** Null if the table was deleted. */
    readonly tableId: string | null
    readonly unsubscribeKey: string
  }
  readonly usage: WebhookUsage
}

/** What a webhook has sent and has still to send. Times are in epoch milliseconds, null if there was none, absent before the first attempt. */
export interface WebhookUsage {
  /** `idle`, `sending`, `retrying`, `postponed`, `error` or `invalid`. */
  readonly status: string
  /** Events in the queue. */
  readonly numWaiting: number
  readonly updatedTime?: number
  readonly lastSuccessTime?: number | null
  readonly lastFailureTime?: number | null
  readonly lastErrorMessage?: string | null
  readonly lastHttpStatus?: number | null
  readonly lastEventBatch: {
    /** `success`, `failure` or `rejected`. */
    readonly status: string
    readonly httpStatus: number | null
    readonly errorMessage: string | null
    readonly size: number
    readonly attempts: number
  } | null
  /** Why an enabled webhook no longer queues or sends events; absent while it works. */
  readonly stoppedReason?: string
  /** `seq` of the last change that was queued before. */
  readonly stoppedSeq?: number | null
}

/** The secrets that sign deliveries: `whsec_` and base64. */
export interface WebhookSecrets {
  readonly secret: string
  readonly previousSecret: string | null
  /** End of the previous secret, in epoch milliseconds. */
  readonly previousUntil: number | null
}

/** A delivery of events. */
export interface WebhookDelivery {
  readonly id: string
  /** Of the last attempt. */
  readonly time: string
  readonly status: 'waiting' | 'success' | 'failed'
  /** Number of events. */
  readonly size: number
  /** Header `sheaf-event`. */
  readonly kinds: string
  readonly attempts: number
  readonly httpStatus: number | null
  readonly durationMs: number
  readonly errorMessage: string | null
  readonly responseExcerpt: string
  readonly firstSeq: number
  readonly lastSeq: number
  readonly bodyBytes: number
  /** True for a test and a delivery that was sent again on request. */
  readonly byHand: boolean
}

/** What a replay has queued. */
export interface WebhookReplay {
  readonly queued: number
  /** `since` of the next call; present if more may remain. */
  readonly nextSeq?: number
}
