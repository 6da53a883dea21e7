import { numberJson } from '../values/number-storage'
import { cellSortKey, naturalCellSortKey, naturalKey, sortKey } from './sort-keys'

/**
 * The functions that SQL of this folder and of the column types calls, by name. Every connection that runs such SQL
 * registers them as deterministic and direct-only; they never stand in an index or in the schema.
 */
export const sqlFunctions: Readonly<Record<string, (value: unknown) => string | number | null>> = {
  sheaf_number: numberJson,
  sheaf_sort_key: sortKey,
  sheaf_natural_key: naturalKey,
  sheaf_cell_key: cellSortKey,
  sheaf_natural_cell_key: naturalCellSortKey,
}
