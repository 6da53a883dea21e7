import type { LRParser } from '@lezer/lr'

// eslint-disable-next-line @typescript-eslint/no-require-imports -- its types know its ES module only
const { parser } = require('@prometheus-io/lezer-promql') as { parser: LRParser }

/** The series and labels of a query. */
export interface Query {
  /** Names of series, each with the labels of its selector. */
  readonly selectors: readonly { readonly series: string; readonly labels: readonly string[] }[]
  /** Labels that it groups or joins by. */
  readonly grouping: readonly string[]
  /** Syntax errors; empty for a valid query. */
  readonly faults: readonly string[]
}

/** Parses a query of Prometheus; it may contain variables of Grafana. */
export function readQuery(expression: string): Query {
  const text = expression.replaceAll('$__rate_interval', '5m').replaceAll('$$__tags', 'job="x"')
  const selectors: { series: string; labels: string[] }[] = []
  const grouping: string[] = []
  const faults: string[] = []
  const textOf = (place: { from: number; to: number } | null) =>
    place ? text.slice(place.from, place.to) : ''
  parser.parse(text).iterate({
    enter({ name, type, from, to, node }) {
      const words = text.slice(from, to)
      if (type.isError) faults.push(text.slice(Math.max(0, from - 20), to + 20))
      if (name === 'VectorSelector')
        selectors.push({ series: textOf(node.getChild('Identifier')), labels: [] })
      if (name !== 'LabelName') return
      if (node.parent?.name === 'GroupingLabels') grouping.push(words)
      else selectors.at(-1)?.labels.push(words)
    },
  })
  return { selectors, grouping, faults }
}
