/** A row of a table, as a position in the order in which differences are listed: tables by ref, rows by id. */
export interface RowPosition {
  readonly tableRef: number
  readonly rowId: number
}

/** A comparison of two moments of a document, as plain values that can be sent to another thread. */
export interface ComparePlan {
  readonly export: 'comparison'
  /** The file of the document as of the other moment. */
  readonly otherPath: string
  /** True when the other file is the moment that the differences lead to, false when they lead from it. */
  readonly otherIsTarget: boolean
  /** `list` for the differences, `count` for their numbers by table. */
  readonly answer: 'list' | 'count'
  /** Ref of the only table to compare; 0 for attachments, undefined for all tables and attachments. */
  readonly tableRef: number | undefined
  /** Only rows after this one, and no differences of tables and columns. */
  readonly position: RowPosition | undefined
  /** At most this many rows; undefined for all. */
  readonly maxRows: number | undefined
}
