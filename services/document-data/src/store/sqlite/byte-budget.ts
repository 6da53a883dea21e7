/** Bytes that all open documents together may use for one purpose. */
export class ByteBudget {
  private left: number

  constructor(private readonly size: number) {
    this.left = size
  }

  /** Bytes in use. */
  get used(): number {
    return this.size - this.left
  }

  /** Reserves bytes; false when too few are left. */
  take(bytes: number): boolean {
    if (bytes > this.left) return false
    this.left -= bytes
    return true
  }

  /** Releases bytes. */
  give(bytes: number): void {
    this.left += bytes
  }
}
