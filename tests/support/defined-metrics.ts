import '@sheaf/document-data/metrics'
import '@sheaf/gateway/metrics'
import '@sheaf/kit/telemetry/call-metrics'
import '@sheaf/kit/postgres/database-metrics'
import '@sheaf/kit/telemetry/process-metrics'
import '@sheaf/webhook/metrics'

/** All metrics that the processes define: their modules are loaded by this one. */
export { listMetrics } from '@sheaf/kit/telemetry/metrics'
