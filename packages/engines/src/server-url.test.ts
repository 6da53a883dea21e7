import { createServer } from 'node:net'
import { EngineError } from './engine-error'
import { freePort } from './free-port'
import { addressesOf, checkReachable, serverUrl } from './server-url'

describe('serverUrl', () => {
  it('preserves a password with characters that are reserved in URLs', () => {
    const url = serverUrl('postgres', { user: 'me', password: 'a/b@c' }, { port: 5, path: '/db' })
    expect(url).toBe('postgres://me:a%2Fb%40c@127.0.0.1:5/db')
    expect(decodeURIComponent(new URL(url).password)).toBe('a/b@c')
  })
})

describe('addressesOf', () => {
  it('adds the default port', () => {
    expect(addressesOf('PostgreSQL', 'postgres://db.test/sheaf')).toEqual([
      { host: 'db.test', port: 5432 },
    ])
  })

  it('returns every server of a NATS list, with or without a scheme', () => {
    expect(addressesOf('NATS', 'nats://a.test, b.test:4300')).toEqual([
      { host: 'a.test', port: 4222 },
      { host: 'b.test', port: 4300 },
    ])
  })

  it('removes the brackets of an IPv6 address', () => {
    expect(addressesOf('NATS', 'nats://[::1]:4222')).toEqual([{ host: '::1', port: 4222 }])
  })

  it('returns the Unix socket of a PostgreSQL without TCP', () => {
    expect(addressesOf('PostgreSQL', 'postgres:///sheaf?host=/run/postgresql')).toEqual([
      { path: '/run/postgresql/.s.PGSQL.5432' },
    ])
  })

  it('rejects text that is not a URL', () => {
    expect(() => addressesOf('NATS', 'nats://:::')).toThrow(EngineError)
  })
})

describe('checkReachable', () => {
  it('succeeds when one of several servers is listening', async () => {
    const server = createServer()
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
    })
    const closed = await freePort()
    await checkReachable('NATS', `nats://127.0.0.1:${closed},127.0.0.1:${port}`)
    server.close()
  })

  it('names the address, but not the password, of an unreachable server', async () => {
    const port = await freePort()
    const refusal = checkReachable('PostgreSQL', `postgres://me:hush@127.0.0.1:${port}/sheaf`)
    await expect(refusal).rejects.toThrow(
      `PostgreSQL cannot be reached at 127.0.0.1:${port} (connect ECONNREFUSED 127.0.0.1:${port})`,
    )
  })
})
