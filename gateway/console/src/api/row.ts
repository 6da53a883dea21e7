/** A row as the API shows it. */
export interface Row {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
}
