import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig as readDirectory } from '@sheaf/directory/config'
import { readConfig as readDocumentData } from '@sheaf/document-data/config'
import { readConfig as readGateway } from '@sheaf/gateway/config'
import { readConfig as readStandalone } from '@sheaf/standalone/config'
import { readConfig as readWebhook } from '@sheaf/webhook/config'
import { readTelemetryConfig } from '@sheaf/kit/telemetry/telemetry-config'
import type { Env } from '@sheaf/kit/config'
import { codes } from '@sheaf/kit/errors'
import { listMetrics } from './support/defined-metrics'
import { readLogFields } from './support/log-fields'
import { namesIn, readTelemetryPage } from './support/telemetry-page'

const root = join(__dirname, '..')
const sourceFolders = [
  'gateway/src',
  ...['directory', 'document-data', 'webhook'].map((name) => `services/${name}/src`),
  'packages/kit/src',
  'packages/auth/src',
]

/** The text of every source file that is not a test. */
function readSources(): string[] {
  return sourceFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  )
}

/** What stands in the first column of the tables of a reference page. */
function readEntries(page: string): string[] {
  const text = readFileSync(join(root, 'docs', page), 'utf8')
  return [...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map(([, entry = '']) => entry).sort()
}

/** The settings that a reader asks for, faulty as they are. */
function settingsOf(read: (env: Env) => unknown): string[] {
  const asked = new Set<string>()
  const env = new Proxy<Env>({}, { get: (_, name) => void asked.add(String(name)) })
  try {
    read(env)
  } catch {
    // Settings without a default are missing; they have been asked for all the same.
  }
  // Each secret can also come from a file, which the page says once for all.
  return [...asked].filter((name) => !name.endsWith('_FILE'))
}

const unique = (texts: Iterable<string>) => [...new Set(texts)].sort()

describe('the reference pages', () => {
  it('list every reason that an error can have, and no other', () => {
    const thrown = new RegExp(
      `(?:'(?:${Object.keys(codes).join('|')})'|error: '[^']*'),\\s*(?:reason: )?'([A-Z][A-Z0-9_]+)'`,
      'g',
    )
    const reasons = readSources().flatMap((text) =>
      [...text.matchAll(thrown)].map(([, reason = '']) => reason),
    )
    expect(reasons.length).toBeGreaterThan(50)
    expect(readEntries('errors.md')).toEqual(unique(reasons))
  })

  it('list every setting that is read, and no other', () => {
    const readers = [
      readDirectory,
      readDocumentData,
      readWebhook,
      readGateway,
      readTelemetryConfig,
      (env: Env) => readStandalone(env, root),
    ]
    expect(readEntries('settings.md')).toEqual(unique(readers.flatMap(settingsOf)))
  })

  it('list every metric with its kind, unit and labels, and no other', () => {
    const rows = readTelemetryPage().get('Metrics') ?? []
    const defined = listMetrics().map(({ name, kind, unit, labels = [] }) =>
      [name, kind, unit, labels.join(', ')].join(' | '),
    )
    expect(rows.map((row) => row.join(' | ')).sort()).toEqual(defined.sort())
  })

  it("list every span and attribute of Sheaf's own, and no other", () => {
    const inCode = readSources().flatMap((text) =>
      [...text.matchAll(/'(sheaf\.[a-z_.]+)'/g)].map(([, name = '']) => name),
    )
    const names = ['Spans', 'Attributes', 'Metrics'].flatMap(namesIn)
    const own = names.filter((name) => name.startsWith('sheaf.'))
    // Subjects of NATS.
    const others = new Set(['sheaf.changes'])
    expect(own.sort()).toEqual(unique(inCode.filter((name) => !others.has(name))))
  })

  it('list every field that is logged, and no other', () => {
    const byLogger = ['level', 'time', 'service', 'msg', 'trace_id', 'span_id']
    const inCode = readSources()
      .filter((text) => /\blog\b/.test(text))
      .flatMap(readLogFields)
    expect([...namesIn('Log fields')].sort()).toEqual(unique([...byLogger, ...inCode]))
  })
})
