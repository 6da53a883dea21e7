import { natsConfig } from './nats-config'

describe('natsConfig', () => {
  const settings = { port: 4222, user: 'sheaf', password: 'secret', storeDir: '/data/jetstream' }

  it('listens on the loopback address only and syncs every write', () => {
    const config = natsConfig(settings)
    expect(config).toContain('host: "127.0.0.1"\nport: 4222\n')
    expect(config).toContain('store_dir: "/data/jetstream"')
    expect(config).toContain('sync_interval: always')
  })

  it('quotes a path that contains quotes, backslashes and braces', () => {
    const config = natsConfig({ ...settings, storeDir: '/da"ta\\x {1}' })
    expect(config).toContain('store_dir: "/da\\"ta\\\\x {1}"')
  })
})
