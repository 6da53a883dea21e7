import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf, type SheafOptions } from '@sheaf/testkit/sheaf'

/** One person of the tests, with a client that uses their key. */
export interface Person {
  readonly id: number
  readonly email: string
  readonly rest: Rest
}

/** A whole Sheaf for the tests of one file, started before the first and stopped after the last. */
export interface System {
  readonly sheaf: RunningSheaf
  /** The first owner, of whom the tests make their documents. */
  readonly alice: Person
  /** Another user, who has been given nothing. */
  readonly dan: Person
  /** A client without a key. */
  readonly anonymous: Rest
}

/** A machine that is busy with other tests is no reason to refuse what a test asks for. */
const patience = { SHEAF_LOOP_DELAY_MS: '60000' }

/** Starts a Sheaf around the tests of the file that calls it; the parts are there once tests run. */
export function useSystem(options: SheafOptions = {}): System {
  const parts: Partial<Record<keyof System, unknown>> = {}
  beforeAll(async () => {
    const sheaf = await startSheaf({ ...options, env: { ...patience, ...options.env } })
    const dan = await sheaf.createUser('dan@example.com', 'Dan')
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const { id } = (await rest.get<{ owner: { id: number } }[]>('/api/orgs')).body[0]?.owner ?? {
      id: 0,
    }
    parts.sheaf = sheaf
    parts.alice = { id, email: 'you@example.com', rest }
    parts.dan = { id: dan.id, email: dan.email, rest: createRest(sheaf.url, dan.key) }
    parts.anonymous = createRest(sheaf.url)
  })
  afterAll(async () => {
    await (parts.sheaf as RunningSheaf | undefined)?.[Symbol.asyncDispose]()
  })
  return parts as unknown as System
}

/** A workspace of the caller's personal site. */
export async function homeWorkspace(rest: Rest): Promise<number> {
  const { body } = await rest.get<{ id: number }[]>('/api/orgs/current/workspaces')
  return body[0]?.id ?? 0
}

/** A new document in the caller's first workspace; its path in the API. */
export async function newDocument(rest: Rest, name = 'Test'): Promise<string> {
  const path = `/api/workspaces/${await homeWorkspace(rest)}/docs`
  const { body } = await rest.post<string>(path, { body: { name } })
  return `/api/docs/${body}`
}

/** A record as REST shows it. */
export interface RestRecord {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
}

/** The columns of a new table: id and type. */
export type ColumnTypes = Readonly<Record<string, string>>

/** Adds a table with these columns; returns its id. */
export async function addTable(
  rest: Rest,
  doc: string,
  id: string,
  types: ColumnTypes,
): Promise<string> {
  const columns = Object.entries(types).map(([colId, type]) => ({
    id: colId,
    fields: { type, label: colId },
  }))
  const { body } = await rest.post<{ tables: { id: string }[] }>(`${doc}/tables`, {
    body: { tables: [{ id, columns }] },
  })
  return body.tables[0]?.id ?? ''
}

/** Adds rows, in batches; returns their ids. */
export async function addRecords(
  rest: Rest,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<number[]> {
  const ids: number[] = []
  for (let start = 0; start < rows.length; start += 2_000) {
    const records = rows.slice(start, start + 2_000).map((fields) => ({ fields }))
    const options = { body: { records }, query: { noparse: '1' } }
    const added = await rest.post<{ records: { id: number }[] }>(`${table}/records`, options)
    if (added.status !== 200)
      throw new Error(`adding rows answered ${added.status}: ${added.raw.toString()}`)
    ids.push(...added.body.records.map(({ id }) => id))
  }
  return ids
}

/** Reads records; the query is as in the API. */
export async function readRecords(
  rest: Rest,
  table: string,
  query: Readonly<Record<string, unknown>> = {},
): Promise<RestRecord[]> {
  const read = await rest.get<{ records: RestRecord[] }>(`${table}/records`, { query })
  if (read.status !== 200)
    throw new Error(`reading answered ${read.status}: ${read.raw.toString()}`)
  return read.body.records
}
