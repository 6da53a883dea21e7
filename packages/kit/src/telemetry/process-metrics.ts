import { monitorEventLoopDelay, performance, type EventLoopUtilization } from 'node:perf_hooks'
import { Observed, together } from './metrics'

/** Sampling interval of the event loop; a shorter one would wake an idle process needlessly. */
const RESOLUTION_MS = 20
const NANOSECONDS_PER_SECOND = 1e9
const MICROSECONDS_PER_SECOND = 1e6
/** Collections within this time get the same figures, so that several collectors do not disturb each other. */
const WINDOW_MS = 1_000

/** The metrics of every process. */
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

/** Reports metrics of the process until disposed of. */
export function observeProcess(): Disposable {
  const loop = new LoopFigures()
  return together([
    loop,
    metrics.delay.observe((report) => {
      const { mean, p99, max } = loop.read()
      report(mean, { statistic: 'mean' })
      report(p99, { statistic: 'p99' })
      report(max, { statistic: 'max' })
    }),
    metrics.utilization.observe((report) => report(loop.read().utilization)),
    metrics.memory.observe((report) => report(process.memoryUsage.rss())),
    metrics.heap.observe((report) => report(process.memoryUsage().heapUsed)),
    metrics.cpu.observe((report) => {
      const { user, system } = process.cpuUsage()
      report((user + system) / MICROSECONDS_PER_SECOND)
    }),
  ])
}

/** Statistics of the event loop between two collections. */
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

/** The histogram records the time between two samples, so the intended interval is subtracted. */
function toDelay(nanoseconds: number): number {
  const seconds = nanoseconds / NANOSECONDS_PER_SECOND - RESOLUTION_MS / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0
}
