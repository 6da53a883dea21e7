import { EnvReader, type Env, type ListenAddress } from '../config'

/** Which telemetry a process exports. */
export interface TelemetryConfig {
  readonly traces: boolean
  readonly metrics: boolean
  /** Where metrics are served to Prometheus instead of being pushed. */
  readonly listen?: ListenAddress
}

/**
 * Reads which telemetry is enabled: by OpenTelemetry's variables that name an exporter, and by SHEAF_METRICS_LISTEN. Throws
 * ConfigError naming the fault.
 */
export function readTelemetryConfig(env: Env): TelemetryConfig {
  const read = new EnvReader(env)
  const listen = read.optionalListen('SHEAF_METRICS_LISTEN')
  const isOn = read.optional('OTEL_SDK_DISABLED')?.toLowerCase() !== 'true'
  const endpoint = read.optional('OTEL_EXPORTER_OTLP_ENDPOINT')
  const isWanted = (exporter = endpoint) => exporter !== undefined && exporter !== 'none'
  const exporterOf = (signal: 'TRACES' | 'METRICS') => {
    const own = read.optional(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`)
    return read.optional(`OTEL_${signal}_EXPORTER`) ?? own
  }
  const traces = isWanted(exporterOf('TRACES'))
  const metrics = isWanted(exporterOf('METRICS'))
  return read.done({
    traces: isOn && traces,
    metrics: isOn && (metrics || listen !== undefined),
    listen: isOn ? listen : undefined,
  })
}
