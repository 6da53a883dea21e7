import {
  metrics,
  type Counter as ApiCounter,
  type Histogram as ApiHistogram,
  type ObservableResult,
} from '@opentelemetry/api'

/** What a metric is, as docs/telemetry.md lists it. */
export interface MetricDefinition<Label extends string = string> {
  /** With dots; Prometheus shows underscores, the unit, and `_total` behind what only grows. */
  readonly name: string
  readonly description: string
  /** As UCUM writes it: `s`, `By`, `1`, or what is counted in braces. */
  readonly unit: string
  /** Names of its labels. Each has a few values, however many documents and users there are. */
  readonly labels?: readonly Label[]
}

/** How a metric behaves. */
export type MetricKind = 'counter' | 'gauge' | 'histogram'

/** A metric that some module has defined. */
export interface DefinedMetric extends MetricDefinition {
  readonly kind: MetricKind
}

type Labels<Label extends string> = Readonly<Record<Label, string | number>>
/** Tells a value, and what it is of when the metric has labels. */
type Tell<Label extends string> = (value: number, ...of: [] | [Labels<Label>]) => void

const defined = new Map<string, DefinedMetric>()
let isOn = false

/** True when metrics go anywhere; where a moment has to be noted for one, this is asked first. */
export function isMetering(): boolean {
  return isOn
}

/** Says that metrics go somewhere: `startTelemetry` does, before the modules that define some are loaded. */
export function switchOnMetrics(): void {
  isOn = true
}

/** All metrics that the modules loaded so far have defined. */
export function listMetrics(): readonly DefinedMetric[] {
  return [...defined.values()]
}

function define(kind: MetricKind, definition: MetricDefinition): void {
  if (defined.has(definition.name)) throw new Error(`metric ${definition.name} is defined twice`)
  defined.set(definition.name, { ...definition, kind })
}

const meter = () => metrics.getMeter('@sheaf/kit')

/** Counts what happens; free while nobody wants to know. */
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

/** Sorts amounts into buckets; free while nobody wants to know. */
export class Histogram<Label extends string = never> {
  private instrument?: ApiHistogram

  /** @param bounds upper ends of the buckets, growing */
  constructor(
    private readonly definition: MetricDefinition<Label>,
    private readonly bounds: readonly number[],
  ) {
    define('histogram', definition)
  }

  /** Takes in an amount. */
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

/** A number that somebody has anyway, read whenever metrics are collected: what happens to it costs nothing. */
export class Observed<Label extends string = never> {
  /** @param kind `counter` for a number that only grows */
  constructor(
    private readonly kind: 'gauge' | 'counter',
    private readonly definition: MetricDefinition<Label>,
  ) {
    define(kind, definition)
  }

  /** Has `read` tell the number, or one for each value of the labels, until disposed of. */
  observe(read: (tell: Tell<Label>) => void | Promise<void>): Disposable {
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

/** Several things that are observed, to be disposed of together. */
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
