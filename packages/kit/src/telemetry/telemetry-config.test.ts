import { readTelemetryConfig } from './telemetry-config'

const on = { traces: true, metrics: true, listen: undefined }
const off = { traces: false, metrics: false, listen: undefined }
const OTLP = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

describe('telemetry', () => {
  it.each([
    ['is off unless something asks for it', {}, off],
    ['goes to a collector that is named', OTLP, on],
    ['can be traces alone', { ...OTLP, OTEL_METRICS_EXPORTER: 'none' }, { ...on, metrics: false }],
    ['can be metrics alone', { ...OTLP, OTEL_TRACES_EXPORTER: 'none' }, { ...on, traces: false }],
    [
      'needs no endpoint for other exporters',
      { OTEL_TRACES_EXPORTER: 'console' },
      { ...on, metrics: false },
    ],
    ['is switched off by the standard variable', { ...OTLP, OTEL_SDK_DISABLED: 'true' }, off],
    [
      'serves metrics without traces',
      { SHEAF_METRICS_LISTEN: '127.0.0.1:9464' },
      { traces: false, metrics: true, listen: { host: '127.0.0.1', port: 9464 } },
    ],
  ])('%s', (_, env, config) => {
    expect(readTelemetryConfig(env)).toEqual(config)
  })

  it('refuses an address that is none, whatever else is set', () => {
    const env = { SHEAF_METRICS_LISTEN: 'nowhere', OTEL_SDK_DISABLED: 'true' }
    expect(() => readTelemetryConfig(env)).toThrow('SHEAF_METRICS_LISTEN must be host:port')
  })
})
