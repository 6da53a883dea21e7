import { createRest, type Rest } from '@sheaf/testkit/rest'
import {
  sharedSheaf,
  startSheaf,
  type RunningSheaf,
  type SheafOptions,
  type UsableSheaf,
} from '@sheaf/testkit/sheaf'

/** A user of the tests, with a client that uses their key. */
export interface Person {
  readonly id: number
  readonly email: string
  readonly rest: Rest
}

/** The Sheaf of one test file, available once tests run. */
export interface System<Sheaf extends UsableSheaf = UsableSheaf> {
  readonly sheaf: Sheaf
  /** An owner, who creates the documents of the tests. */
  readonly alice: Person
  /** Another user, without any access. */
  readonly dan: Person
  /** A client without a key. */
  readonly anonymous: Rest
}

/** Generous limits, so that a machine busy with other tests does not cause rejected requests, or stopped formulas. */
const patience = { SHEAF_LOOP_DELAY_MS: '60000', SHEAF_FORMULA_MS: '15000' }

/**
 * A Sheaf that suites share, one after another, for the tests of the calling file; alice, dan and what they
 * create belong to this file alone. Emails and domains of sites that a file adds must be unique: see
 * `emailOf`.
 */
export function useSystem(): System {
  return fillSystem(async () => {
    const sheaf = await joinSheaf('alice', 'Alice')
    const dan = await sheaf.createUser(emailOf('dan'), 'Dan')
    return createSystem(sheaf, sheaf.owner, dan)
  })
}

/** A Sheaf that suites share, one after another, with `owner`, a user whose email address is `emailOf` this name. */
export function joinSheaf(name: string, fullName: string): ReturnType<typeof sharedSheaf> {
  return sharedSheaf(patience, { email: emailOf(name), name: fullName })
}

/**
 * A Sheaf with these settings that contains only its first owner and dan, started and stopped for the calling
 * file.
 */
export function useOwnSystem(options: SheafOptions = {}): System<RunningSheaf> {
  let sheaf: RunningSheaf | undefined
  afterAll(() => sheaf?.[Symbol.asyncDispose]())
  return fillSystem(async () => {
    sheaf = await startSheaf({ ...options, env: { ...patience, ...options.env } })
    const dan = await sheaf.createUser('dan@example.com', 'Dan')
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const { body } = await rest.get<{ id: number; email: string }>('/api/profile/user')
    return createSystem(sheaf, { ...body, key: sheaf.ownerKey }, dan)
  })
}

/** An email address that no other suite uses. */
export function emailOf(name: string): string {
  return `${name}@${suite}.example.com`
}

/** Suites run one after another in their worker, each with its own module registry. */
const suite = `suite-${Date.now().toString(36)}`

function fillSystem<Sheaf extends UsableSheaf>(start: () => Promise<System<Sheaf>>): System<Sheaf> {
  const parts: Partial<System<Sheaf>> = {}
  beforeAll(async () => {
    Object.assign(parts, await start())
  })
  return parts as System<Sheaf>
}

function createSystem<Sheaf extends UsableSheaf>(
  sheaf: Sheaf,
  ...people: readonly { id: number; email: string; key: string }[]
): System<Sheaf> {
  const [alice, dan] = people.map(({ id, email, key }) => ({
    id,
    email,
    rest: createRest(sheaf.url, key),
  })) as [Person, Person]
  return { sheaf, alice, dan, anonymous: createRest(sheaf.url) }
}

/** A workspace of the caller's personal site. */
export async function homeWorkspace(rest: Rest): Promise<number> {
  const { body } = await rest.get<{ id: number }[]>('/api/orgs/current/workspaces')
  return body[0]?.id ?? 0
}

/** Creates a document in the caller's first workspace; returns its path in the API. */
export async function newDocument(rest: Rest, name = 'Test'): Promise<string> {
  const path = `/api/workspaces/${await homeWorkspace(rest)}/docs`
  const { body } = await rest.post<string>(path, { body: { name } })
  return `/api/docs/${body}`
}

/** A record in a REST reply. */
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

/** Reads records; the query is that of the API. */
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
