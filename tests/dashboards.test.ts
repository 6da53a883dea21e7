import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { listMetrics } from './support/defined-metrics'
import { seriesOf } from './support/prometheus-text'
import { readQuery } from './support/promql'
import { namesIn } from './support/telemetry-page'

const root = join(__dirname, '..')
const folder = join(root, 'deploy/telemetry')
const read = (path: string) => readFileSync(join(folder, path), 'utf8')

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly datasource?: { readonly uid: string }
  readonly targets?: readonly { readonly expr: string; readonly datasource: { uid: string } }[]
  readonly fieldConfig?: { readonly defaults: { readonly links?: readonly { url: string }[] } }
}

interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { query: { query: string } }[] }
}

const dashboards = readdirSync(join(folder, 'grafana/dashboards')).map(
  (name) => JSON.parse(read(`grafana/dashboards/${name}`)) as Dashboard,
)

interface Datasource {
  readonly uid: string
  readonly jsonData: {
    readonly tracesToMetrics?: { readonly queries: readonly { query: string }[] }
  }
}

const { datasources } = parse(read('grafana/provisioning/datasources/sheaf.yaml')) as {
  datasources: readonly Datasource[]
}

interface Rule {
  readonly alert: string
  readonly expr: string
}

const { groups } = parse(read('prometheus/alerts.yml')) as {
  groups: readonly { readonly rules: readonly Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)

const series = new Map(listMetrics().flatMap((metric) => [...seriesOf(metric)]))
/** Labels that Prometheus itself gives to everything. */
const everywhere = ['job', 'instance']

/** What is wrong with a query. */
function faultsOf(expression: string): string[] {
  const { selectors, grouping, ...read } = readQuery(expression)
  const faults = [...read.faults]
  const made = [...expression.matchAll(/label_replace\(.*?, "(\w+)",/g)].map(([, label]) => label)
  const known = new Set([...everywhere, ...made])
  for (const { series: name, labels } of selectors) {
    const own = series.get(name)
    if (!own) faults.push(`there is no metric ${name}`)
    for (const label of own ?? []) known.add(label)
    for (const label of labels)
      if (!own?.includes(label) && !everywhere.includes(label))
        faults.push(`${name} has no label ${label}`)
  }
  for (const label of grouping)
    if (!known.has(label)) faults.push(`nothing here has the label ${label}`)
  if (selectors.length === 0) faults.push('it asks for nothing')
  return faults
}

describe('the dashboards', () => {
  const panels = dashboards.flatMap(({ title, panels: all }) =>
    all.filter(({ type }) => type !== 'row').map((panel) => ({ ...panel, dashboard: title })),
  )

  it('ask Prometheus only for metrics and labels that the processes have', () => {
    const queries = [
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...datasources.flatMap(({ jsonData }) =>
        (jsonData.tracesToMetrics?.queries ?? []).map(({ query }) => query),
      ),
    ]
    expect(queries.length).toBeGreaterThan(50)
    expect(
      queries.map((query) => [query, faultsOf(query)]).filter(([, all]) => all?.length),
    ).toEqual([])
    for (const { query } of dashboards.flatMap(({ templating }) => templating.list)) {
      const [, name = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query.query) ?? []
      expect(series.get(name)).toContain(label)
    }
  })

  it('show every metric somewhere', () => {
    const asked = panels
      .flatMap(({ targets = [] }) => targets)
      .flatMap(({ expr }) => readQuery(expr).selectors.map((selector) => selector.series))
    const shown = (metric: Parameters<typeof seriesOf>[0]) =>
      [...seriesOf(metric).keys()].some((name) => asked.includes(name))
    expect(listMetrics().filter((metric) => !shown(metric))).toEqual([])
  })

  it('use only the sources that are provided, and give each panel a number of its own', () => {
    const known = datasources.map(({ uid }) => uid)
    for (const { panels: all } of dashboards)
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    for (const { datasource, targets = [] } of panels)
      for (const uid of [datasource?.uid, ...targets.map((target) => target.datasource.uid)])
        expect(known).toContain(uid)
  })

  it('lead to traces by spans and attributes that there are', () => {
    const links = panels.flatMap(({ fieldConfig }) => fieldConfig?.defaults.links ?? [])
    expect(links.length).toBeGreaterThan(15)
    const attributes = namesIn('Attributes')
    for (const { url } of links) {
      const { queries } = JSON.parse(decodeURIComponent(url.replace(/^.*\?left=/, ''))) as {
        queries: readonly { query: string }[]
      }
      const query = queries[0]?.query ?? ''
      for (const [, name = ''] of query.matchAll(/\bspan\.([\w.]+)/g))
        expect(attributes).toContain(name)
      for (const [, name = ''] of query.matchAll(/(?<!\.)\bname = "(sheaf[^"]*)"/g))
        expect(namesIn('Spans')).toContain(name)
    }
  })
})

describe('the alerts', () => {
  it('ask only for metrics and labels that the processes have', () => {
    expect(rules.length).toBeGreaterThan(5)
    const faulty = rules.map(({ alert, expr }) => [alert, ...faultsOf(expr)])
    expect(faulty.filter(([, ...faults]) => faults.length > 0)).toEqual([])
  })

  it('have a paragraph each in the runbook, which has no other', () => {
    const text = readFileSync(join(root, 'docs/runbook.md'), 'utf8')
    const paragraphs = [...text.matchAll(/^## (\w+)\n\n(\S.{80,})/gm)].map(([, name]) => name)
    expect(paragraphs.sort()).toEqual(rules.map(({ alert }) => alert).sort())
  })
})

describe('the query checker', () => {
  it.each([
    ['sum(rate(sheaf_webhook_attempts_total[5m])', 'a bracket is missing'],
    ['sheaf_documents_opened', 'there is no such metric'],
    ['sheaf_documents_open{docId="x"}', 'there is no such label'],
    ['sum by (user) (sheaf_documents_open)', 'nothing can be grouped so'],
  ])('refuses %s, since %s', (query) => {
    expect(faultsOf(query)).not.toEqual([])
  })
})
