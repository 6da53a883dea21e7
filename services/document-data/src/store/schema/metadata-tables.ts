/** Name of the table that holds the views of all tables. */
export const VIEWS = '_sheaf_views'
/** What the log has in place of the ref of that table; no table has it. */
export const VIEWS_REF = -2

/**
 * Columns of the metadata tables that the REST API shows, as id and type; their refs are not columns of their
 * own.
 */
const tables: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  _grist_DocInfo: [
    ['docId', 'Text'],
    ['peers', 'Text'],
    ['basketId', 'Text'],
    ['schemaVersion', 'Int'],
    ['timezone', 'Text'],
    ['documentSettings', 'Text'],
  ],
  _grist_Tables: [
    ['tableId', 'Text'],
    ['primaryViewId', 'Ref:_grist_Views'],
    ['summarySourceTable', 'Ref:_grist_Tables'],
    ['onDemand', 'Bool'],
    ['rawViewSectionRef', 'Ref:_grist_Views_section'],
    ['recordCardViewSectionRef', 'Ref:_grist_Views_section'],
  ],
  _grist_Tables_column: [
    ['parentId', 'Ref:_grist_Tables'],
    ['parentPos', 'PositionNumber'],
    ['colId', 'Text'],
    ['type', 'Text'],
    ['widgetOptions', 'Text'],
    ['isFormula', 'Bool'],
    ['formula', 'Text'],
    ['label', 'Text'],
    ['description', 'Text'],
    ['untieColIdFromLabel', 'Bool'],
    ['summarySourceCol', 'Ref:_grist_Tables_column'],
    ['displayCol', 'Ref:_grist_Tables_column'],
    ['visibleCol', 'Ref:_grist_Tables_column'],
    ['rules', 'RefList:_grist_Tables_column'],
    ['reverseCol', 'Ref:_grist_Tables_column'],
    ['recalcWhen', 'Int'],
    ['recalcDeps', 'RefList:_grist_Tables_column'],
  ],
  _grist_Attachments: [
    ['fileIdent', 'Text'],
    ['fileName', 'Text'],
    ['fileType', 'Text'],
    ['fileSize', 'Int'],
    ['fileExt', 'Text'],
    ['imageHeight', 'Int'],
    ['imageWidth', 'Int'],
    ['timeDeleted', 'DateTime:UTC'],
    // Epoch milliseconds, unlike any other time: a number, so that it is not mistaken for seconds.
    ['timeUploaded', 'Numeric'],
  ],
  [VIEWS]: [
    ['tableRef', 'Ref:_grist_Tables'],
    ['position', 'Numeric'],
    ['name', 'Text'],
    ['type', 'Text'],
    ['description', 'Text'],
    ['filter', 'Text'],
    ['sort', 'Text'],
    ['columns', 'Text'],
    ['frozenColumns', 'Int'],
    ['rowHeight', 'Text'],
    ['wrapText', 'Bool'],
    ['groupBy', 'Text'],
    ['summaries', 'Text'],
    ['form', 'Text'],
  ],
}

/** Columns of a metadata table as id and type; undefined for any other table. */
export function findMetadataColumns(
  tableId: string,
): readonly (readonly [string, string])[] | undefined {
  return Object.hasOwn(tables, tableId) ? tables[tableId] : undefined
}
