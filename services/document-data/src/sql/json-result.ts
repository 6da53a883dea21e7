/** Thrown when a result is larger than it may be. */
export class ResultTooLarge extends Error {}

/** Writes rows as `{"statement":…,"records":[{"fields":{…}},…]}`, piece by piece. */
export class JsonResult {
  private readonly keys: readonly string[]
  private separator = ''

  constructor(
    private readonly statement: string,
    columns: readonly string[],
  ) {
    this.keys = columns.map((name, i) => `${i > 0 ? ',' : ''}${JSON.stringify(name)}:`)
  }

  /** What stands before the rows. */
  begin(): string {
    return `{"statement":${JSON.stringify(this.statement)},"records":[`
  }

  /** One row. Throws ResultTooLarge when it would have more than so many characters. */
  row(values: readonly unknown[], maxLength: number): string {
    let text = `${this.separator}{"fields":{`
    for (const [i, key] of this.keys.entries()) {
      if (text.length + lengthOf(values[i]) > maxLength) throw new ResultTooLarge()
      text += key + toJson(values[i])
    }
    this.separator = ','
    return `${text}}}`
  }

  /** What stands after the rows. */
  end(): string {
    return ']}'
  }
}

/** Characters of a value as JSON, at least: asked before it is written, since it may be very large. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return Buffer.isBuffer(value) ? 2 * value.length : 0
}

function toJson(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (Buffer.isBuffer(value)) return `{"type":"Buffer","data":[${value.join(',')}]}`
  return JSON.stringify(value)
}
