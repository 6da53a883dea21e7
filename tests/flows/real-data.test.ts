import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { parse } from 'csv-parse/sync'
import {
  addRecords,
  addTable,
  newDocument,
  readRecords,
  useSystem,
  type RestRecord,
} from '../support/system'

const system = useSystem()
const data = join(__dirname, '..', 'data')

/** The lines of a CSV file, header first, with unmodified cells. */
function readCsv(name: string): string[][] {
  const rows: string[][] = parse(readFileSync(join(data, name)), { bom: true })
  return rows
}

/** Loads a CSV file into a table of Text columns labelled with the file's headers, and reads it back. */
async function throughSheaf(
  name: string,
): Promise<{ sent: string[][]; got: unknown[][]; labels: string[] }> {
  const { rest } = system.alice
  const [header = [], ...sent] = readCsv(name)
  const doc = await newDocument(rest, name)
  const columns = header.map((label) => ({ id: label, fields: { type: 'Text', label } }))
  const made = await rest.post(`${doc}/tables`, { body: { tables: [{ id: 'Data', columns }] } })
  expect(made.status).toBe(200)
  const table = `${doc}/tables/Data`
  const listed = await rest.get<{ columns: { id: string; fields: { label: string } }[] }>(
    `${table}/columns`,
  )
  const ids = listed.body.columns.map(({ id }) => id)
  await addRecords(
    rest,
    table,
    sent.map((row) => Object.fromEntries(row.map((cell, index) => [ids[index] ?? '', cell]))),
  )
  const records = await readRecords(rest, table)
  return {
    sent,
    got: records.map(({ fields }) => ids.map((id) => fields[id])),
    labels: listed.body.columns.map(({ fields }) => fields.label),
  }
}

describe('real data', () => {
  it('comes back equal cell by cell: 34,032 cities in many scripts', async () => {
    const { sent, got } = await throughSheaf('world-cities.csv')
    expect(got.length).toBe(34_032)
    expect(got).toEqual(sent)
  })

  it('comes back equal cell by cell: 56 columns with odd names, codes with leading zeros, six scripts', async () => {
    const { sent, got, labels } = await throughSheaf('country-codes.csv')
    expect(labels).toEqual(readCsv('country-codes.csv')[0])
    expect(got).toEqual(sent)
  })

  it('is filtered and sorted by the server as by hand', async () => {
    const { rest } = system.alice
    const [, ...rows] = readCsv('world-cities.csv')
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'Cities', { name: 'Text', country: 'Text', geonameid: 'Int' })
    const table = `${doc}/tables/Cities`
    const sent = rows.map(([name, country, , geonameid]) => ({
      name,
      country,
      geonameid: Number(geonameid),
    }))
    await addRecords(rest, table, sent)
    const filter = { country: ['Switzerland', 'Iceland'] }
    const read = await readRecords(rest, table, { filter, sort: '-geonameid', limit: 40 })
    const wanted = sent
      .filter(({ country }) => country === 'Switzerland' || country === 'Iceland')
      .sort((a, b) => b.geonameid - a.geonameid)
      .slice(0, 40)
    expect(read.map(({ fields }) => fields)).toEqual(wanted)
  })
})

describe('tables with references', () => {
  /** Tables of the music shop with the tables that their columns refer to, in order of dependency. */
  const plan: Record<string, Record<string, string>> = {
    Artist: {},
    Genre: {},
    MediaType: {},
    Employee: { ReportsTo: 'Employee' },
    Album: { ArtistId: 'Artist' },
    Track: { AlbumId: 'Album', MediaTypeId: 'MediaType', GenreId: 'Genre' },
    Customer: { SupportRepId: 'Employee' },
    Invoice: { CustomerId: 'Customer' },
    InvoiceLine: { InvoiceId: 'Invoice', TrackId: 'Track' },
  }

  it('lead from every track of a music shop to its album and artist', async () => {
    const { rest } = system.alice
    const shop = new Database(join(data, 'chinook.sqlite'), { readonly: true })
    const doc = await newDocument(rest, 'Chinook')
    const rowIds: Record<string, Map<unknown, number>> = {}
    const tables: Record<string, Map<number, RestRecord>> = {}
    for (const [name, references] of Object.entries(plan)) {
      const rows = shop.prepare(`SELECT * FROM "${name}"`).all() as Record<string, unknown>[]
      const names = Object.keys(rows[0] ?? {}).filter((column) => column !== `${name}Id`)
      const types = names.map((column) => {
        const isNumber = rows.every(
          (row) => row[column] === null || typeof row[column] === 'number',
        )
        return [
          column,
          references[column] ? `Ref:${references[column]}` : isNumber ? 'Numeric' : 'Text',
        ]
      })
      expect(
        await addTable(rest, doc, name, Object.fromEntries(types) as Record<string, string>),
      ).toBe(name)
      // References within the table use row numbers that are assigned as rows are added.
      rowIds[name] = new Map(rows.map((row, index) => [row[`${name}Id`], index + 1]))
      const cell = (column: string, value: unknown) =>
        references[column] ? (rowIds[references[column]]?.get(value) ?? 0) : value
      const ids = await addRecords(
        rest,
        `${doc}/tables/${name}`,
        rows.map((row) =>
          Object.fromEntries(names.map((column) => [column, cell(column, row[column])])),
        ),
      )
      expect(ids).toEqual(rows.map((_, index) => index + 1))
      const read = await readRecords(rest, `${doc}/tables/${name}`)
      tables[name] = new Map(read.map((record) => [record.id, record]))
    }
    const follow = (table: string, id: unknown) => tables[table]?.get(id as number)?.fields ?? {}
    const got = [...(tables.Track?.values() ?? [])].map(({ fields }) => {
      const album = follow('Album', fields.AlbumId)
      return [
        fields.Name,
        fields.UnitPrice,
        album.Title,
        follow('Artist', album.ArtistId).Name,
        follow('Genre', fields.GenreId).Name,
      ]
    })
    const wanted = shop
      .prepare(
        `SELECT t.Name, t.UnitPrice, al.Title, ar.Name, g.Name FROM Track t JOIN Album al USING (AlbumId)
         JOIN Artist ar USING (ArtistId) JOIN Genre g USING (GenreId) ORDER BY t.TrackId`,
      )
      .raw()
      .all()
    expect(got.length).toBe(3_503)
    expect(got).toEqual(wanted)
    expect(follow('Employee', follow('Employee', 2).ReportsTo).LastName).toBe('Adams')
  })
})
