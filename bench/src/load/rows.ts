/** A row of the benchmark's table: 8 columns of the most common types. */
export interface Row {
  readonly Name: string
  readonly City: string
  readonly Note: string
  readonly Price: number
  readonly Share: number
  readonly Count: number
  readonly Active: boolean
  readonly Since: number
}

/** Columns of the table with their types, as Sheaf names them. */
export const columns = {
  Name: 'Text',
  City: 'Text',
  Note: 'Text',
  Price: 'Numeric',
  Share: 'Numeric',
  Count: 'Int',
  Active: 'Bool',
  Since: 'Date',
} as const satisfies Record<keyof Row, string>

const cities = ['Zürich', 'São Paulo', 'Łódź', 'Reykjavík', 'Hà Nội', 'Nairobi', 'Oslo', 'Quito']
const DAY = 86_400

/** Returns the row with this number; deterministic, with a unique `Name`, and a `Note` with letters beyond ASCII. */
function rowAt(index: number): Row {
  return {
    Name: `Customer ${index}`,
    City: cities[index % cities.length] ?? '',
    Note: `Asked for “${(index * 7919) % 100_000}” by phone`,
    Price: ((index * 7919) % 100_000) / 100,
    Share: ((index * 104_729) % 10_000) / 10_000,
    Count: (index * 31) % 1_000,
    Active: index % 3 !== 0,
    Since: 1_600_000_000 - (1_600_000_000 % DAY) + (index % 1_500) * DAY,
  }
}

/** Returns a body for the records endpoint with `count` rows from `start` on. */
export function addBody(start: number, count: number): string {
  return JSON.stringify({
    records: Array.from({ length: count }, (_, offset) => ({ fields: rowAt(start + offset) })),
  })
}

/** Returns a body with new prices, counts and notes for the rows 1 to `count`; they differ in each `turn`. */
export function patchBody(turn: number, count: number): string {
  return JSON.stringify({
    records: Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      fields: {
        Price: turn + index / 4,
        Count: turn * 7 + index,
        Note: `Turn ${turn} of ${index}`,
      },
    })),
  })
}

/**
 * Returns a body with new prices and counts for `count` rows, found by names spread over a table of `rows`;
 * they differ in each turn.
 */
export function addOrUpdateBody(
  turn: number,
  { count, rows }: { count: number; rows: number },
): string {
  return JSON.stringify({
    records: Array.from({ length: count }, (_, index) => ({
      require: { Name: rowAt((turn * 131 + index * 997) % rows).Name },
      fields: { Price: turn + index / 8, Count: turn * 11 + index },
    })),
  })
}
