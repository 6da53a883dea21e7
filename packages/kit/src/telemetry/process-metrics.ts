import { monitorEventLoopDelay, performance, type EventLoopUtilization } from 'node:perf_hooks'
import { Observed, together } from './metrics'

/** How often the event loop is looked at; more often would wake an idle process for nothing. */
const RESOLUTION_MS = 20
const NANOSECONDS_PER_SECOND = 1e9
const MICROSECONDS_PER_SECOND = 1e6
/** Whoever collects sooner gets the same figures, so that several may collect. */
const WINDOW_MS = 1_000

/** The metrics that every process has. */
const metrics = {
  delay: new Observed<'statistic'>('gauge', {
    name: 'nodejs.eventloop.delay',
    description: 'Event loop delay since the last collection',
    unit: 's',
    labels: ['statistic'],
  }),
  utilization: new Observed('gauge', {
    name: 'nodejs.eventloop.utilization',
    description: 'Event loop utilization since the last collection',
    unit: '1',
  }),
  memory: new Observed('gauge', {
    name: 'process.memory.usage',
    description: 'Resident memory of the process',
    unit: 'By',
  }),
  heap: new Observed('gauge', {
    name: 'v8js.memory.heap.used',
    description: 'JavaScript heap memory in use',
    unit: 'By',
  }),
  cpu: new Observed('counter', {
    name: 'process.cpu.time',
    description: 'CPU time of the process, all threads',
    unit: 's',
  }),
}

/** Watches the process for metrics, until disposed of. */
export function observeProcess(): Disposable {
  const loop = new LoopFigures()
  return together([
    loop,
    metrics.delay.observe((tell) => {
      const { mean, p99, max } = loop.read()
      tell(mean, { statistic: 'mean' })
      tell(p99, { statistic: 'p99' })
      tell(max, { statistic: 'max' })
    }),
    metrics.utilization.observe((tell) => tell(loop.read().utilization)),
    metrics.memory.observe((tell) => tell(process.memoryUsage.rss())),
    metrics.heap.observe((tell) => tell(process.memoryUsage().heapUsed)),
    metrics.cpu.observe((tell) => {
      const { user, system } = process.cpuUsage()
      tell((user + system) / MICROSECONDS_PER_SECOND)
    }),
  ])
}

/** What the event loop did between two collections. */
class LoopFigures implements Disposable {
  private readonly histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  private before: EventLoopUtilization = performance.eventLoopUtilization()
  private readAt = -Infinity
  private figures = { mean: 0, p99: 0, max: 0, utilization: 0 }

  constructor() {
    this.histogram.enable()
  }

  read(): LoopFigures['figures'] {
    const now = performance.now()
    if (now - this.readAt < WINDOW_MS) return this.figures
    this.readAt = now
    const { histogram, before } = this
    const all = performance.eventLoopUtilization()
    this.figures = {
      mean: toDelay(histogram.mean),
      p99: toDelay(histogram.percentile(99)),
      max: toDelay(histogram.max),
      utilization: performance.eventLoopUtilization(all, before).utilization,
    }
    this.before = all
    histogram.reset()
    return this.figures
  }

  [Symbol.dispose](): void {
    this.histogram.disable()
  }
}

/** What is recorded is the time between two looks, so the one that was wanted is taken off. */
function toDelay(nanoseconds: number): number {
  const seconds = nanoseconds / NANOSECONDS_PER_SECOND - RESOLUTION_MS / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0
}
