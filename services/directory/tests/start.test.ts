import { createTestDatabase, testEngines } from '@sheaf/testkit/engines'
import { Client } from 'pg'
import { startDirectory } from '../src/service'
import { SERVICE_KEY } from './test-directory'

describe('startDirectory', () => {
  it('makes one signing key when several instances start at once', async () => {
    await using database = await createTestDatabase()
    const config = {
      listen: '127.0.0.1:0',
      databaseUrl: database.url,
      databaseConnections: 3,
      databaseWaiting: 500,
      accessAuditDays: 365,
      serviceKey: SERVICE_KEY,
      webhookAddress: '127.0.0.1:1',
      trashDays: 30,
      keptDays: 30,
      natsUrl: testEngines().natsUrl,
      events: { days: 1, megabytes: 32, replicas: 1 },
      sessions: { idleSeconds: 3_600, lifeSeconds: 86_400 },
    }
    const instances = await Promise.all([1, 2, 3].map(() => startDirectory(config)))
    for (const instance of instances) await instance[Symbol.asyncDispose]()
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query('select kid from directory.signing_keys')
    await client.end()
    expect(rows).toHaveLength(1)
  })

  it('says so when PostgreSQL is not there', async () => {
    await expect(
      startDirectory({
        listen: '127.0.0.1:0',
        databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
        databaseConnections: 3,
        databaseWaiting: 500,
        accessAuditDays: 365,
        serviceKey: SERVICE_KEY,
        webhookAddress: '127.0.0.1:1',
        trashDays: 30,
        keptDays: 30,
        natsUrl: testEngines().natsUrl,
        events: { days: 1, megabytes: 32, replicas: 1 },
        sessions: { idleSeconds: 3_600, lifeSeconds: 86_400 },
      }),
    ).rejects.toMatchObject({ reason: 'DATABASE_UNAVAILABLE' })
  })
})
