import type { Row, RowValue, RowWriter } from '../formats/row-writer'

/** Writes the rows of a statement as the REST document `{"statement":…,"records":[{"fields":{…}},…]}`. */
export function createJsonResult(statement: string, columns: readonly string[]): RowWriter {
  const keys = columns.map((name, i) => `${i > 0 ? ',' : ''}${JSON.stringify(name)}:`)
  let lead = `{"statement":${JSON.stringify(statement)},"records":[`
  const write = (row: Row) => {
    let text = `${lead}{"fields":{`
    for (let i = 0; i < keys.length; i++) text += keys[i] + toJson(row[i] ?? null)
    lead = ','
    return `${text}}}`
  }
  return {
    write: (rows) => [Buffer.from(rows.map(write).join(''))],
    finish: () => [Buffer.from(lead === ',' ? ']}' : `${lead}]}`)],
  }
}

function toJson(value: RowValue): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (Buffer.isBuffer(value)) return `{"type":"Buffer","data":[${value.join(',')}]}`
  return JSON.stringify(value)
}
