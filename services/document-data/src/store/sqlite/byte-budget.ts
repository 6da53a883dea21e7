/** What all open documents may keep of something together, in bytes. */
export class ByteBudget {
  private left: number

  constructor(private readonly size: number) {
    this.left = size
  }

  /** Bytes that are taken. */
  get used(): number {
    return this.size - this.left
  }

  /** Takes so many bytes; false when there are not so many left. */
  take(bytes: number): boolean {
    if (bytes > this.left) return false
    this.left -= bytes
    return true
  }

  /** Gives bytes back. */
  give(bytes: number): void {
    this.left += bytes
  }
}
