/** What belongs to rows of a grid, and goes with them to other places. */
export interface RowFollower {
  /** Called before rows may get other places. */
  readonly before: () => void
  /** Called after that. */
  readonly after: () => void
}

/** Runs what gives the rows of a grid other places, so that the focus and the selection can go with them. */
export class RowMoves {
  private readonly followers = new Set<RowFollower>()
  private isRunning = false

  /** True while rows get other places. The grid may move the focus meanwhile, which the user does not. */
  get areUnderWay(): boolean {
    return this.isRunning
  }

  /** Adds a follower. Returns a function that removes it. */
  add(follower: RowFollower): () => void {
    this.followers.add(follower)
    return () => this.followers.delete(follower)
  }

  /** Runs an update of the rows of the grid. */
  run(update: () => void): void {
    if (this.isRunning) return update()
    this.begin()
    try {
      update()
    } finally {
      this.end()
    }
  }

  /** Must be called before the grid drops its rows for those of another view, in the same task. */
  startOver(): void {
    if (this.isRunning) return
    this.begin()
    queueMicrotask(() => this.end())
  }

  private begin(): void {
    for (const { before } of this.followers) before()
    this.isRunning = true
  }

  private end(): void {
    for (const { after } of this.followers) after()
    this.isRunning = false
  }
}
