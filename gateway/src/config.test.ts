import { ConfigError } from '@sheaf/kit/config'
import { readConfig } from './config'

describe('readConfig', () => {
  it('needs the service key alone', () => {
    expect(readConfig({ SHEAF_SERVICE_KEY: 's' })).toMatchObject({
      host: '127.0.0.1',
      port: 8484,
      directoryAddress: '127.0.0.1:8485',
      webhookAddress: '127.0.0.1:8487',
      maxBodyBytes: 32 * 1024 * 1024,
      baseDomain: undefined,
      timeouts: { requestMs: 60_000, streamMs: 600_000 },
    })
  })

  it('takes the base domain with or without its dot', () => {
    for (const SHEAF_BASE_DOMAIN of ['.Sheaf.Example', 'sheaf.example'])
      expect(readConfig({ SHEAF_SERVICE_KEY: 's', SHEAF_BASE_DOMAIN }).baseDomain).toBe(
        'sheaf.example',
      )
  })

  it('names every fault at once', () => {
    const read = () => readConfig({ SHEAF_PORT: 'x', SHEAF_MAX_BODY_MB: '49' })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(/SHEAF_PORT[^]*SHEAF_SERVICE_KEY[^]*SHEAF_MAX_BODY_MB/)
  })
})
