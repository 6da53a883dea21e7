import { readConfig } from './config'

describe('readConfig', () => {
  it('needs a database, NATS and the service key, and has defaults for the rest', () => {
    const needed = {
      DATABASE_URL: 'postgres://localhost/x',
      NATS_URL: 'nats://localhost',
      SHEAF_SERVICE_KEY: 'k',
    }
    expect(readConfig(needed)).toEqual({
      listen: '127.0.0.1:8485',
      databaseUrl: 'postgres://localhost/x',
      databaseConnections: 10,
      databaseWaiting: 500,
      accessAuditDays: 365,
      serviceKey: 'k',
      webhookAddress: '127.0.0.1:8487',
      trashDays: 30,
      keptDays: 30,
      natsUrl: 'nats://localhost',
      events: { days: 7, megabytes: 128, replicas: 1 },
      sessions: { idleSeconds: 336 * 3_600, lifeSeconds: 90 * 86_400 },
    })
  })

  it('names every fault at once', () => {
    expect(() => readConfig({ SHEAF_DIRECTORY_CONNECTIONS: '1' })).toThrow(
      /DATABASE_URL[\s\S]*SHEAF_DIRECTORY_CONNECTIONS[\s\S]*SHEAF_SERVICE_KEY[\s\S]*NATS_URL/,
    )
  })
})
