/** A row of a table, as the API gives it. */
export interface Row {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
}
