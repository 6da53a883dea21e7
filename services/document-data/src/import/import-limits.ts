/**
 * What one import may hold, however large the upload is. Whatever is over a limit is refused with an error that says
 * where.
 */
export const importLimits = {
  tables: 1_000,
  /** Of a table; what any table can have at most, with its hidden column. */
  columns: 1_899,
  /** Of all tables together. */
  allColumns: 20_000,
  /** Characters of a cell. */
  cellChars: 1_000_000,
  /** Characters of a row. */
  rowChars: 16_000_000,
  /** Bytes of the document that is made, about. */
  documentBytes: 2 * 1024 * 1024 * 1024,
  /** Characters of a label that are kept. */
  labelChars: 500,
  /**
   * Row ids: all that clients can choose (2^31 - 1) and as many rows behind them. What a document counts itself stays far
   * below that.
   */
  rowId: 2 ** 32,
  /** Refs of tables and columns, and row ids of attachments and their parts, which are only ever counted. */
  ref: 2 ** 30,
  /** How deep values of JSON and elements of XML may lie in each other. */
  depth: 100,
  /** Bytes that the parts of a workbook take when they are unpacked. */
  unpackedBytes: 1024 * 1024 * 1024,
  /** Parts of a workbook. */
  parts: 10_000,
  /** Characters of the texts that the cells of a workbook share. */
  sharedChars: 100_000_000,
} as const
