import {
  metrics,
  type Counter as ApiCounter,
  type Histogram as ApiHistogram,
  type ObservableResult,
} from '@opentelemetry/api'

/** Definition of a metric, as listed in docs/telemetry.md. */
export interface MetricDefinition<Label extends string = string> {
  /** With dots; Prometheus shows underscores, the unit, and `_total` after counters. */
  readonly name: string
  readonly description: string
  /** In UCUM notation: `s`, `By`, `1`, or the counted item in braces. */
  readonly unit: string
  /** Names of its labels. Each has few values, regardless of the number of documents and users. */
  readonly labels?: readonly Label[]
}

/** Kind of instrument. */
export type MetricKind = 'counter' | 'gauge' | 'histogram'

/** A metric defined by a loaded module. */
export interface DefinedMetric extends MetricDefinition {
  readonly kind: MetricKind
}

type Labels<Label extends string> = Readonly<Record<Label, string | number>>
/** Reports a value, with its labels when the metric has any. */
type Report<Label extends string> = (value: number, ...of: [] | [Labels<Label>]) => void

const defined = new Map<string, DefinedMetric>()
let isOn = false

/** True when metrics are exported; checked before timestamps are taken for a metric. */
export function isMetering(): boolean {
  return isOn
}

/** Enables metrics. `startTelemetry` calls it before the modules that define metrics are loaded. */
export function switchOnMetrics(): void {
  isOn = true
}

/** Returns all metrics that the modules loaded so far have defined. */
export function listMetrics(): readonly DefinedMetric[] {
  return [...defined.values()]
}

function define(kind: MetricKind, definition: MetricDefinition): void {
  if (defined.has(definition.name)) throw new Error(`metric ${definition.name} is defined twice`)
  defined.set(definition.name, { ...definition, kind })
}

const meter = () => metrics.getMeter('@sheaf/kit')

/** Counts events; free while metrics are off. */
export class Counter<Label extends string = never> {
  private instrument?: ApiCounter

  constructor(private readonly definition: MetricDefinition<Label>) {
    define('counter', definition)
  }

  /** Adds an amount. */
  add(amount: number, labels: Labels<Label>): void {
    if (!isOn) return
    const { name, ...options } = this.definition
    this.instrument ??= meter().createCounter(name, options)
    this.instrument.add(amount, labels)
  }
}

/** Sorts amounts into buckets; free while metrics are off. */
export class Histogram<Label extends string = never> {
  private instrument?: ApiHistogram

  /** @param bounds upper bounds of the buckets, ascending */
  constructor(
    private readonly definition: MetricDefinition<Label>,
    private readonly bounds: readonly number[],
  ) {
    define('histogram', definition)
  }

  /** Records an amount. */
  record(amount: number, labels: Labels<Label>): void {
    if (!isOn) return
    this.instrument ??= this.create()
    this.instrument.record(amount, labels)
  }

  private create(): ApiHistogram {
    const { name, ...options } = this.definition
    const advice = { explicitBucketBoundaries: [...this.bounds] }
    return meter().createHistogram(name, { ...options, advice })
  }
}

/** A number that is maintained anyway and read when metrics are collected, so that updating it costs nothing extra. */
export class Observed<Label extends string = never> {
  /** @param kind `counter` for a number that only grows */
  constructor(
    private readonly kind: 'gauge' | 'counter',
    private readonly definition: MetricDefinition<Label>,
  ) {
    define(kind, definition)
  }

  /** Calls `read` at each collection, which reports the number, or one for each combination of labels, until disposed of. */
  observe(read: (report: Report<Label>) => void | Promise<void>): Disposable {
    if (!isOn) return { [Symbol.dispose]: () => {} }
    const { name, ...options } = this.definition
    const create = this.kind === 'gauge' ? 'createObservableGauge' : 'createObservableCounter'
    const instrument = meter()[create](name, options)
    const observe = (result: ObservableResult) =>
      read((value, ...[labels]) => result.observe(value, labels))
    instrument.addCallback(observe)
    return { [Symbol.dispose]: () => instrument.removeCallback(observe) }
  }
}

/** Combines observations, to be disposed of together. */
export function together(observed: readonly Disposable[]): Disposable {
  return {
    [Symbol.dispose]() {
      for (const each of observed) each[Symbol.dispose]()
    },
  }
}

/** Buckets for times from a tenth of a millisecond to a minute, in seconds. */
export const secondsBounds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]
