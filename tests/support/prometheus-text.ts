import type { DefinedMetric } from '@sheaf/kit/telemetry/metrics'

/** One sample of the exposition format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Parses the samples of Prometheus's text format. */
export function readSamples(text: string): Sample[] {
  return [...text.matchAll(/^([a-z_][\w:]*)(?:\{(.*)\})? (\S+)$/gim)].map(
    ([, name = '', labels = '', value]) => ({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [
          key,
          text,
        ]),
      ),
      value: Number(value),
    }),
  )
}

const unitNames: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' }
const withUnderscores = (name: string) => name.replaceAll(/\W/g, '_')

/** The sample names of a metric in Prometheus, each with its additional labels. */
export function seriesOf({ name, unit, kind, labels = [] }: DefinedMetric): Map<string, string[]> {
  const base = withUnderscores(name) + (unitNames[unit] ?? '')
  const own = labels.map(withUnderscores)
  if (kind === 'gauge') return new Map([[base, own]])
  if (kind === 'counter') return new Map([[`${base}_total`, own]])
  return new Map([
    [`${base}_bucket`, [...own, 'le']],
    [`${base}_sum`, own],
    [`${base}_count`, own],
  ])
}
