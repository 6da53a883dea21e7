/** Returns a list with an item added, or removed if it was present. The order of the others is kept. */
export function toggle<Item>(items: readonly Item[], item: Item): readonly Item[] {
  return items.includes(item) ? items.filter((other) => other !== item) : [...items, item]
}
