/** A row of the benchmark's table: 8 columns of the types that real tables mostly have. */
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

/** The row with this number; the same number always gives the same row, and every `Name` is different. */
function rowAt(index: number): Row {
  return {
    Name: `Customer ${index}`,
    City: cities[index % cities.length] ?? '',
    Note: `Ordered ${index % 97} times, last by phone`,
    Price: ((index * 7919) % 100_000) / 100,
    Share: ((index * 104_729) % 10_000) / 10_000,
    Count: (index * 31) % 1_000,
    Active: index % 3 !== 0,
    Since: 1_600_000_000 - (1_600_000_000 % DAY) + (index % 1_500) * DAY,
  }
}

/** A body for the records endpoint with `count` rows from `start` on. */
export function addBody(start: number, count: number): string {
  return JSON.stringify({
    records: Array.from({ length: count }, (_, offset) => ({ fields: rowAt(start + offset) })),
  })
}

/** A body that gives the rows 1 to `count` other prices, counts and notes; each `turn` other ones than the turn before. */
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

/** A body that gives `count` rows, found by their names all over a table of `rows`, other prices and counts each turn. */
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
