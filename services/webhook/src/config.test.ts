import { ConfigError } from '@sheaf/kit/config'
import { readConfig } from './config'

const env = { DATABASE_URL: 'postgres://db', SHEAF_SERVICE_KEY: 'k', NATS_URL: 'nats://n' }
const read = (hosts?: string) => readConfig({ ...env, SHEAF_WEBHOOK_ALLOWED_HOSTS: hosts })

describe('the settings of webhook', () => {
  it('open no hosts, or those that are named', () => {
    expect(read().allowedHosts).toEqual([])
    expect(read(' Redis:6379, ,[::1]').allowedHosts).toEqual(['redis:6379', '[::1]'])
  })

  it('name each entry of the allowed hosts that is none', () => {
    expect(() => read('localhost,http://redis,10.0.0.0/8')).toThrow(
      new ConfigError([
        'SHEAF_WEBHOOK_ALLOWED_HOSTS has a malformed entry: http://redis',
        'SHEAF_WEBHOOK_ALLOWED_HOSTS has a malformed entry: 10.0.0.0/8',
      ]),
    )
  })
})
