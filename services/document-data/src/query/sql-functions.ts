import { fieldOfCell, textOfCell } from '../export/delimited'
import { sheetCellOf } from '../export/sheet'
import { numberJson } from '../values/numbers/number-storage'
import { compareWithKey } from './compare-with-key'
import { cellSortKey, naturalCellSortKey, naturalKey, sortKey } from './sort-keys'
import {
  anyFinds,
  anyHas,
  endsWith,
  listFinds,
  listHas,
  listText,
  localDate,
  localTime,
  lower,
  textOfAny,
} from './text-tests'
import { displayFinds } from './value-display'

/**
 * The SQL functions used by this folder and the column types, by name. Every connection that runs such SQL
 * registers them as deterministic and direct-only; they must not be used in an index or in the schema.
 */
export const sqlFunctions: Readonly<
  Record<string, (value: unknown, other: unknown) => string | number | null>
> = {
  sheaf_number: numberJson,
  sheaf_sort_key: sortKey,
  sheaf_compare_key: compareWithKey,
  sheaf_natural_key: naturalKey,
  sheaf_cell_key: cellSortKey,
  sheaf_natural_cell_key: naturalCellSortKey,
  sheaf_lower: lower,
  sheaf_ends_with: endsWith,
  sheaf_list_text: listText,
  sheaf_any_text: textOfAny,
  sheaf_list_has: listHas,
  sheaf_any_has: anyHas,
  sheaf_list_finds: listFinds,
  sheaf_any_finds: anyFinds,
  sheaf_local_date: localDate,
  sheaf_local_time: localTime,
  sheaf_display: textOfCell,
  sheaf_field: fieldOfCell,
  sheaf_display_finds: displayFinds,
  sheaf_sheet_cell: sheetCellOf,
}
