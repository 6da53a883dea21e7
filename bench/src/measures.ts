import { measureFormulas } from './formulas/measure'
import { measureLatency } from './modes/add-latency'
import { compare } from './modes/compare'
import { measureGrid } from './modes/grid-scroll'
import { measureMoments } from './modes/former-moments'
import { measureInstances } from './modes/many-instances'
import { measureDocuments } from './modes/many-documents'
import { measureWebhooks } from './modes/many-webhooks'
import { measureRows } from './modes/million-rows'
import { measureReplication } from './modes/replicated'
import { measureTelemetry } from './modes/telemetry-cost'
import { measureOptimizations } from './optimizations/measure'
import type { Mode, Options } from './options'
import type { Report } from './report'

/** What each mode measures. */
export const measures: Record<
  Mode,
  (options: Options, env: Record<string, string>) => Promise<Report>
> = {
  compare,
  latency: measureLatency,
  rows: measureRows,
  documents: measureDocuments,
  webhooks: measureWebhooks,
  telemetry: measureTelemetry,
  grid: measureGrid,
  formulas: measureFormulas,
  optimizations: measureOptimizations,
  replicated: measureReplication,
  instances: measureInstances,
  moments: measureMoments,
}
