import '@sheaf/document-data/metrics'
import '@sheaf/gateway/metrics'
import '@sheaf/kit/call-metrics'
import '@sheaf/kit/database-metrics'
import '@sheaf/kit/process-metrics'
import '@sheaf/webhook/metrics'

/** All metrics that the processes define: their modules are loaded by this one. */
export { listMetrics } from '@sheaf/kit/metrics'
