import type { Column } from '../../api/resources'
import type { MenuItem } from '../../components/overlays/menu-items'
import { withSummary } from '../arrangement/arrangement'
import type { TableArrangement } from '../arrangement/use-arrangement'
import { summariesOf, summaryLabel } from './summaries'

/** Returns the items of a menu that chooses the summary of a column. */
export function summaryItems(
  column: Column,
  { arrangement, change }: TableArrangement,
): MenuItem[] {
  const chosen = arrangement.columns.find(({ id }) => id === column.id)?.summary
  return [undefined, ...summariesOf(column)].map((name) => ({
    label: name === undefined ? 'None' : summaryLabel(name, column),
    option: { isOn: name === chosen, isExclusive: true, closesMenu: true },
    onSelect: () => change((all) => withSummary(all, column.id, name)),
  }))
}
