/**
 * Limits of one import, whatever the size of the upload. Exceeding one is an error that states the location.
 */
export const importLimits = {
  tables: 1_000,
  /** Columns of a table: the general limit of a table, including its hidden column. */
  columns: 1_899,
  /** Columns of all tables together. */
  allColumns: 20_000,
  /** Characters of a cell. */
  cellChars: 1_000_000,
  /** Characters of a row. */
  rowChars: 16_000_000,
  /** Approximate bytes of the created document. */
  documentBytes: 2 * 1024 * 1024 * 1024,
  /** Characters of a label; the rest is cut off. */
  labelChars: 500,
  /**
   * Row ids: the maximum that clients can choose (2^31 - 1) plus as many rows again. Counters of a document
   * stay far below it.
   */
  rowId: 2 ** 32,
  /**
   * Refs of tables and columns, and row ids of attachments and their parts, which are assigned consecutively.
   */
  ref: 2 ** 30,
  /** Maximum nesting depth of JSON values and XML elements. */
  depth: 100,
  /** Uncompressed bytes of the parts of a workbook. */
  unpackedBytes: 1024 * 1024 * 1024,
  /** Parts of a workbook. */
  parts: 10_000,
  /** Characters of the shared strings of a workbook. */
  sharedChars: 100_000_000,
} as const
