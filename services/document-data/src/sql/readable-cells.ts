import { errorNameSql, isErrorSql } from '../values/error-cells'
import { isTaggedSql } from '../values/tagged-text'

/** A column whose cells may be errors, or, in a column of type Any, values that are stored as tagged text. */
export interface CodedColumn {
  readonly tableId: string
  readonly id: string
  readonly isAny: 0 | 1
}

/** Selects all coded columns of a document as one JSON list of CodedColumn. */
export const CODED_COLUMNS = `
  SELECT json_group_array(json_object('tableId', tableId, 'id', colId, 'isAny', isAny)) FROM (
    SELECT t.tableId, c.colId, c.type = 'Any' AS isAny
    FROM _grist_Tables_column c JOIN _grist_Tables t ON t.id = c.parentId
    WHERE c.type = 'Any' OR c.formula <> '' ORDER BY t.id, c.id)`

/** SQL of a cell as statements of callers see it: errors without their message, other tagged text as its JSON. */
export function readableSql({ isAny }: CodedColumn, cell: string): string {
  const error = `json_array('E',${errorNameSql(cell)})`
  if (!isAny) return `CASE WHEN ${isErrorSql(cell)} THEN ${error} ELSE ${cell} END`
  const json = `substr(${cell},2)`
  // Two comparisons suffice for nearly all cells.
  return `CASE WHEN ${isTaggedSql(cell)} THEN
    CASE WHEN ${isErrorSql(cell)} THEN ${error} WHEN ${json} LIKE '"%' THEN ${json}->>'$' ELSE ${json} END
    ELSE ${cell} END`
}
