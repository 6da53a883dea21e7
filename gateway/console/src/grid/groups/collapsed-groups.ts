/** Which groups of a view are collapsed: some, or all but some. */
export class CollapsedGroups {
  private areAll = false
  /** Keys of groups that are unlike the others. */
  private readonly others = new Set<string>()

  readonly has = (key: string): boolean => this.areAll !== this.others.has(key)

  /** Collapses a group, or expands it. */
  toggle(key: string): void {
    if (!this.others.delete(key)) this.others.add(key)
  }

  /** Collapses all groups, also those that are not known yet, or expands them. */
  setAll(areAll: boolean): void {
    this.areAll = areAll
    this.others.clear()
  }
}
