import { randomUUID } from 'node:crypto'
import { migrate, openDatabase } from '@sheaf/kit/postgres/database'
import { createLogger } from '@sheaf/kit/logger'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { sql } from 'kysely'
import { migrations } from '../src/db/migrations/index'
import { readProgress } from '../src/db/progress'
import type { WebhookSchema } from '../src/db/schema'

describe('the schema of webhooks', () => {
  it('serves the webhooks of a database that was made before their refs were as of an entry', async () => {
    await using database = await createTestDatabase()
    const log = createLogger('test')
    await using db = openDatabase<WebhookSchema>({ url: database.url, schema: 'webhook', log })
    await migrate(db, 'webhook', migrations.slice(0, 2))
    const [docId, id] = [randomUUID(), randomUUID()]
    await sql`insert into documents (doc_id, handled_seq) values (${docId}, 7)`.execute(db)
    await sql`
      insert into webhooks (id, doc_id, unsubscribe_key, url, event_types, table_ref, after_seq, secret)
      values (${id}, ${docId}, ${id}, 'https://example.com/', '{add}', 1, 3, 'whsec_')`.execute(db)
    await migrate(db, 'webhook', migrations)
    const progress = await readProgress(db, docId)
    expect(progress).toMatchObject({ handledSeq: 7, webhooks: [{ id, tableRef: 1, refsSeq: 0 }] })
    // As it was made for a while; then there is nothing to add.
    await sql`delete from migrations where version = 3`.execute(db)
    await migrate(db, 'webhook', migrations)
    expect(await readProgress(db, docId)).toEqual(progress)
  })
})
