import { readConfig } from './config'

describe('readConfig', () => {
  it('needs a database and the service key, and has defaults for the rest', () => {
    expect(readConfig({ DATABASE_URL: 'postgres://localhost/x', SHEAF_SERVICE_KEY: 'k' })).toEqual({
      listen: '127.0.0.1:8485',
      databaseUrl: 'postgres://localhost/x',
      databaseConnections: 10,
      databaseWaiting: 500,
      accessAuditDays: 365,
      serviceKey: 'k',
      webhookAddress: '127.0.0.1:8487',
      trashDays: 30,
      sessions: { idleSeconds: 336 * 3_600, lifeSeconds: 90 * 86_400 },
    })
  })

  it('names every fault at once', () => {
    expect(() => readConfig({ SHEAF_DIRECTORY_CONNECTIONS: '1' })).toThrow(
      /DATABASE_URL[\s\S]*SHEAF_DIRECTORY_CONNECTIONS[\s\S]*SHEAF_SERVICE_KEY/,
    )
  })
})
