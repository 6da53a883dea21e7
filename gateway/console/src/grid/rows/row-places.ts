/** What is at the places of a view, which can have headers of groups among its rows. */
export interface RowPlaces {
  /** Returns true for the header of a group. */
  readonly isGroup: (index: number) => boolean
  /** Returns the number of the row at an index, from 1. */
  readonly numberOf: (index: number) => number
  /** Returns the number of rows in a view of this size, with those of collapsed groups. */
  readonly countRows: (size: number) => number
  /** Returns the index of the next row, or of the one before; undefined beyond the ends. */
  readonly nextRow: (index: number, step: 1 | -1) => number | undefined
}

/** The places of a view without groups. The end of the rows is not known here. */
export const plainPlaces: RowPlaces = {
  isGroup: () => false,
  numberOf: (index) => index + 1,
  countRows: (size) => size,
  nextRow: (index, step) => (index + step < 0 ? undefined : index + step),
}
