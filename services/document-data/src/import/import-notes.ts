/** Notes that an answer contains at most; a last one tells how many are missing. */
const MAX_NOTES = 100

/** Collects, in words for people, what of a file was left out or changed. */
export class ImportNotes {
  private readonly notes = new Set<string>()
  private more = 0

  /** Adds a note; the same one is given once. */
  add(note: string): void {
    if (this.notes.has(note)) return
    if (this.notes.size < MAX_NOTES) this.notes.add(note)
    else this.more++
  }

  /** The notes, in the order in which they were added. */
  get list(): readonly string[] {
    return this.more === 0 ? [...this.notes] : [...this.notes, `and ${this.more} more`]
  }
}
