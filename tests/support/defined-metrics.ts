import '@sheaf/directory/metrics'
import '@sheaf/document-data/metrics'
import '@sheaf/gateway/metrics'
import '@sheaf/kit/telemetry/call-metrics'
import '@sheaf/kit/postgres/database-metrics'
import '@sheaf/kit/telemetry/process-metrics'
import '@sheaf/webhook/metrics'

/** All metrics that the processes define; importing this module loads theirs. */
export { listMetrics } from '@sheaf/kit/telemetry/metrics'
