import { createTestDatabase, type TestDatabase } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { sql, type Transaction } from 'kysely'
import { migrate, openDatabase, transact, type Migration } from '../src/postgres/database'
import { createLogger } from '../src/logger'

interface Schema {
  things: { id: number; at: Date }
}

const first: Migration = {
  name: '001-init',
  async up(db) {
    await sql`create table things (id bigint primary key, at timestamptz not null default now())`.execute(
      db,
    )
  },
}
const second: Migration = {
  name: '002-second',
  async up(db) {
    await sql`insert into things (id) values (7)`.execute(db)
  },
}

describe('database', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database[Symbol.asyncDispose]())

  const open = () =>
    openDatabase<Schema>({ url: database.url, schema: 'things', log: createLogger('test') })

  it('migrates step by step, once, also when many start at the same time', async () => {
    const all = [open(), open(), open()]
    await Promise.all(all.map((db) => migrate(db, 'things', [first, second])))
    await migrate(all[0]!, 'things', [first, second])
    const rows = await all[0]!.selectFrom('things').select(['id', 'at']).execute()
    expect(rows).toEqual([{ id: 7, at: expect.any(Date) as Date }])
    for (const db of all) await db.destroy()
  })

  it('goes on from where an older program left off', async () => {
    await using db = open()
    await migrate(db, 'things', [first])
    expect(await db.selectFrom('things').select('id').execute()).toEqual([])
    await migrate(db, 'things', [first, second])
    expect(await db.selectFrom('things').select('id').execute()).toEqual([{ id: 7 }])
  })

  it('refuses a schema that a newer program has migrated', async () => {
    await using db = open()
    await migrate(db, 'things', [first, second])
    await expect(migrate(db, 'things', [first])).rejects.toThrow(
      'the database schema "things" is at version 2 but this release supports only 1',
    )
  })

  it('leaves nothing of a step that fails', async () => {
    await using db = open()
    const broken: Migration = {
      name: '002-broken',
      async up(trx) {
        await second.up(trx)
        throw new Error('broken')
      },
    }
    await expect(migrate(db, 'things', [first, broken])).rejects.toThrow('broken')
    expect(await db.selectFrom('things').select('id').execute()).toEqual([])
  })

  it('refuses at once when too many wait for a connection', async () => {
    const log = createLogger('test')
    const options = { url: database.url, schema: 'things', log, maxConnections: 1, maxWaiting: 2 }
    await using db = openDatabase<Schema>(options)
    const query = () => sql`select pg_sleep(0.05)`.execute(db)
    const ends = await Promise.allSettled(Array.from({ length: 5 }, query))
    const refused = ends.filter((end) => end.status === 'rejected')
    expect(refused).toHaveLength(2)
    expect(refused[0]?.reason).toMatchObject({ code: 'unavailable', reason: 'DATABASE_BUSY' })
    await query()
  })

  it('runs a transaction again that another one has overtaken', async () => {
    await using db = open()
    await migrate(db, 'things', [first])
    await sql`insert into things (id) values (1), (2)`.execute(db)
    const touch = (trx: Transaction<Schema>, id: number) =>
      trx.updateTable('things').set({ at: new Date() }).where('id', '=', id).execute()
    let held = 0
    let runs = 0
    let finished = 0
    /** Each takes one row and then the other's, once both have theirs; the one that is run again waits for the other. */
    const run = async (mine: number, others: number) => {
      const result = await transact(db, async (trx) => {
        if (++runs > 2) await eventually(() => finished > 0)
        await touch(trx, mine)
        held++
        await eventually(() => held >= 2)
        await touch(trx, others)
        return mine
      })
      finished++
      return result
    }
    expect(await Promise.all([run(1, 2), run(2, 1)])).toEqual([1, 2])
    expect(runs).toBe(3)
  })

  it('runs no transaction again that is wrong by itself', async () => {
    await using db = open()
    await migrate(db, 'things', [first])
    let runs = 0
    const insert = async (trx: Transaction<Schema>) => {
      runs++
      await sql`insert into things (id) values (1), (1)`.execute(trx)
    }
    await expect(transact(db, insert)).rejects.toMatchObject({ code: '23505' })
    expect(runs).toBe(1)
  })

  it('survives the end of all its connections, used or not', async () => {
    await using db = open()
    await using other = open()
    await migrate(db, 'things', [first])
    const sleeping = sql`select pg_sleep(20)`.execute(db)
    const outcome = expect(sleeping).rejects.toMatchObject({ code: 'unavailable' })
    await sql`select pg_sleep(0.1), pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(other)
    await outcome
    expect(await db.selectFrom('things').select('id').execute()).toEqual([])
  })
})
