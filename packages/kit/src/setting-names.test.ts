import { describeUnknownSettings, settingNames } from './setting-names'

const nearestTo = (name: string) =>
  describeUnknownSettings({ [name]: '1' }).map((text) => /nearest name is (\w+)$/.exec(text)?.[1])

describe('describeUnknownSettings', () => {
  it.each([
    ['SHEAF_PROT', 'SHEAF_PORT'],
    ['SHEAF_MAX_BODY', 'SHEAF_MAX_BODY_MB'],
    ['SHEAF_MAX_BODY_MIB', 'SHEAF_MAX_BODY_MB'],
    ['SHEAF_SQL_TIMEOUT', 'SHEAF_SQL_TIMEOUT_MS'],
    ['SHEAF_WEBHOOKS_ALLOWED_HOST', 'SHEAF_WEBHOOK_ALLOWED_HOSTS'],
  ])('says that %s is ignored, and names %s', (name, meant) => {
    expect(nearestTo(name)).toEqual([meant])
  })

  it('says nothing of settings of any process, of secrets in files, nor of what is no setting of Sheaf', () => {
    const all = [...settingNames, 'SHEAF_SERVICE_KEY_FILE', 'SHEAF_FUZZ_SEED', 'PATH', 'SHEAFS']
    expect(describeUnknownSettings(Object.fromEntries(all.map((name) => [name, 'x'])))).toEqual([])
  })

  it('says nothing of the variables that Kubernetes makes of services', () => {
    const links = {
      SHEAF_GATEWAY_SERVICE_HOST: '10.0.0.1',
      SHEAF_GATEWAY_SERVICE_PORT_HTTP: '80',
      SHEAF_GATEWAY_PORT: 'tcp://10.0.0.1:80',
      SHEAF_GATEWAY_PORT_80_TCP_ADDR: '10.0.0.1',
    }
    expect(describeUnknownSettings(links)).toEqual([])
    expect(nearestTo('SHEAF_GATEWAY_PORT')).toHaveLength(1)
  })
})
