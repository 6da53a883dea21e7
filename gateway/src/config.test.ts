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
      timeouts: { requestMs: 60_000, streamMs: 600_000, leaveMs: 0 },
    })
  })

  it('takes the base domain with or without its dot', () => {
    for (const SHEAF_BASE_DOMAIN of ['.Sheaf.Example', 'sheaf.example'])
      expect(readConfig({ SHEAF_SERVICE_KEY: 's', SHEAF_BASE_DOMAIN }).baseDomain).toBe(
        'sheaf.example',
      )
  })

  it('knows how people sign in', () => {
    const needed = { SHEAF_SERVICE_KEY: 's', SHEAF_PUBLIC_URL: 'https://sheaf.example/path/' }
    expect(readConfig(needed)).toMatchObject({
      publicUrl: 'https://sheaf.example',
      oidc: undefined,
      mail: undefined,
    })
    const oidc = { SHEAF_OIDC_ISSUER: 'https://login.example', SHEAF_OIDC_CLIENT_ID: 'sheaf' }
    const mail = { SHEAF_SMTP_URL: 'smtp://mail.example', SHEAF_MAIL_FROM: 'sheaf@example.com' }
    expect(readConfig({ ...needed, ...oidc, ...mail, SHEAF_OIDC_SIGN_UP: 'no' })).toMatchObject({
      oidc: { issuer: 'https://login.example', clientId: 'sheaf', maySignUp: false },
      mail: { smtpUrl: 'smtp://mail.example', from: 'sheaf@example.com' },
    })
  })

  it('says what one way to sign in needs, and shows no password', () => {
    const SHEAF_SERVICE_KEY = 's'
    expect(() =>
      readConfig({ SHEAF_SERVICE_KEY, SHEAF_OIDC_ISSUER: 'https://login.example' }),
    ).toThrow(/SHEAF_PUBLIC_URL[^]*SHEAF_OIDC_CLIENT_ID/)
    expect(() => readConfig({ SHEAF_SERVICE_KEY, SHEAF_SMTP_URL: 'smtp://mail.example' })).toThrow(
      /SHEAF_PUBLIC_URL[^]*SHEAF_MAIL_FROM/,
    )
    const faults = () => readConfig({ SHEAF_SERVICE_KEY, SHEAF_SMTP_URL: 'http://u:hunter2@x' })
    expect(faults).toThrow('SHEAF_SMTP_URL must be an address with smtp:// or smtps://')
    expect(faults).not.toThrow('hunter2')
  })

  it('names every fault at once', () => {
    const read = () => readConfig({ SHEAF_PORT: 'x', SHEAF_MAX_BODY_MB: '49' })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(/SHEAF_PORT[^]*SHEAF_SERVICE_KEY[^]*SHEAF_MAX_BODY_MB/)
  })
})
