import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig as readDirectory } from '@sheaf/directory/config'
import { readConfig as readDocumentData } from '@sheaf/document-data/config'
import { readConfig as readGateway } from '@sheaf/gateway/config'
import { routes } from '@sheaf/gateway/routes/index'
import { signInPages } from '@sheaf/gateway/routes/sign-in'
import { readSettings as readCommand } from '@sheaf/cli/settings'
import { readConfig as readStandalone } from '@sheaf/standalone/config'
import { readConfig as readWebhook } from '@sheaf/webhook/config'
import { readTelemetryConfig } from '@sheaf/kit/telemetry/telemetry-config'
import { EnvReader, type Env } from '@sheaf/kit/config'
import { codes } from '@sheaf/kit/errors'
import { settingNames } from '@sheaf/kit/setting-names'
import { listMetrics } from './support/defined-metrics'
import { readLogFields } from './support/log-fields'
import { namesIn, readTelemetryPage } from './support/telemetry-page'

const root = join(__dirname, '..')
const sourceFolders = [
  'gateway/src',
  ...['directory', 'document-data', 'webhook'].map((name) => `services/${name}/src`),
  'packages/document-log/src',
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

const readPage = (page: string) => readFileSync(join(root, 'docs', page), 'utf8')

/** The first column of the tables of a reference page. */
function readEntries(page: string): string[] {
  const text = readPage(page)
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

const readers = [
  readDirectory,
  readDocumentData,
  readWebhook,
  readGateway,
  readTelemetryConfig,
  (env: Env) => readStandalone(env, root),
]

/** The settings that are whole numbers, with their defaults and bounds. */
function readIntegers(): Map<string, { fallback: number; min: number; max: number }> {
  const found = new Map<string, { fallback: number; min: number; max: number }>()
  const spy = jest.spyOn(EnvReader.prototype, 'int')
  spy.mockImplementation((name, fallback, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}) => {
    found.set(name, { fallback, min, max })
    return fallback
  })
  try {
    readers.forEach(settingsOf)
  } finally {
    spy.mockRestore()
  }
  return found
}

/** The rows of a page's tables as cells without padding. */
function readRows(page: string): string[][] {
  const lines = readPage(page).match(/^\|.*\|$/gm) ?? []
  return lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
      .slice(1, -1),
  )
}

const unique = (texts: Iterable<string>) => [...new Set(texts)].sort()

/** Every page that is written by hand. */
function listPages(): string[] {
  const folders = ['.', 'docs', 'gateway', 'bench', 'tests', 'deploy/telemetry']
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(root, folder, name)),
  )
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replaceAll(/^(?:```|~~~)[\s\S]*?^(?:```|~~~)/gm, '')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe('the pages', () => {
  it('link only to files and headings that exist', () => {
    const pages = listPages()
    expect(pages.length).toBeGreaterThan(20)
    const links = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(
        ([link, path = '', anchor]) => ({
          link: `${page}: ${link}`,
          target: path === '' ? page : join(page, '..', path),
          anchor,
        }),
      ),
    )
    expect(links.length).toBeGreaterThan(80)
    const broken = links.filter(
      ({ target, anchor }) =>
        !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor)),
    )
    expect(broken.map(({ link }) => link)).toEqual([])
  })
})

describe('the runbook', () => {
  it('quotes only messages that are logged', () => {
    const quoted = [...readPage('runbook.md').matchAll(/`([a-z][^`]* [^`]*)`/g)]
      .map(([, text = '']) => text.replaceAll(/\s+/g, ' '))
      .filter((text) => !/^(npm|kubectl|make) /.test(text))
    expect(quoted.length).toBeGreaterThan(3)
    const sources = readSources().join('\n')
    expect(quoted.filter((text) => !sources.includes(`'${text}'`))).toEqual([])
  })

  it('names only panels that exist', () => {
    const folder = 'deploy/telemetry/grafana/dashboards'
    const dashboards = readdirSync(join(root, folder)).map((name) =>
      readFileSync(join(root, folder, name), 'utf8'),
    )
    const panels = [...readPage('runbook.md').matchAll(/(?<!\w)_([A-Z][^_]*)_(?!\w)/g)].map(
      ([, title = '']) => title.replaceAll(/\s+/g, ' '),
    )
    expect(panels.length).toBeGreaterThan(5)
    const titles = dashboards.join('\n')
    expect(panels.filter((title) => !titles.includes(`"title": "${title}"`))).toEqual([])
  })
})

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
    expect(readEntries('settings.md')).toEqual(unique(readers.flatMap(settingsOf)))
  })

  it('list the settings that a start with a misspelt one compares it with', () => {
    const commands = settingsOf((env) => readCommand(env, root))
    const names = [...readers.flatMap(settingsOf), ...commands]
    expect([...settingNames].sort()).toEqual(
      unique(names.filter((name) => name.startsWith('SHEAF_'))),
    )
  })

  it('name the default of every numeric setting', () => {
    const integers = readIntegers()
    expect(integers.size).toBeGreaterThan(40)
    const rows = readRows('settings.md').map(([name = '', value = '']) => ({
      name: /^`(\w+)`/.exec(name)?.[1] ?? '',
      value: /^`(\d+)`$/.exec(value)?.[1],
    }))
    const written = rows.filter(({ name }) => integers.has(name))
    expect(written).toEqual(
      written.map(({ name }) => ({ name, value: String(integers.get(name)?.fallback) })),
    )
  })

  it('list every route and page of the gateway, and no other', () => {
    const written = readRows('api.md').flatMap(
      ([call = '']) => /^`([A-Z]+ \/.*)`$/.exec(call)?.[1] ?? [],
    )
    const served = [...routes, ...signInPages].map(
      ({ method, path }) => `${method.toUpperCase()} ${path}`,
    )
    // Served as files, outside of the table of routes.
    expect(written.sort()).toEqual([...served, 'GET /console/'].sort())
  })

  it('state the least role of every route about one document', () => {
    const words = {
      viewers: 'viewer',
      editors: 'editor',
      owners: 'owner',
      form: 'the link',
    } as const
    const written = new Map(readRows('api.md').map(([call = '', needs = '']) => [call, needs]))
    for (const { method, path, access } of routes) {
      if (access === 'open' || access === 'caller') continue
      const call = `${method.toUpperCase()} ${path}`
      expect(`${call} needs ${written.get(`\`${call}\``)}`).toContain(
        `${call} needs ${words[access]}`,
      )
    }
  })

  it('give limits with the defaults and bounds of their settings', () => {
    const integers = readIntegers()
    const rows = readRows('limits.md').filter(([, , setting = '']) => setting.startsWith('`'))
    expect(rows.length).toBeGreaterThan(30)
    const written = rows.map(([, value = '', setting = '']) => {
      const [, name = '', min, max] = /^`(\w+)`(?: \((\d+)–(\d+)\))?$/.exec(setting) ?? []
      return { name, value, ...(min !== undefined && { min: Number(min), max: Number(max) }) }
    })
    const inCode = written.map(({ name, ...row }) => {
      const { fallback, min, max } = integers.get(name) ?? {}
      return { name, value: String(fallback), ...('min' in row && { min, max }) }
    })
    expect(written).toEqual(inCode)
  })

  it('give limits only with reasons that exist, and name every reason of the section on limits', () => {
    const named = [...readPage('limits.md').matchAll(/\d{3} `([A-Z][A-Z_]+)`/g)].map(
      ([, reason = '']) => reason,
    )
    expect(named.length).toBeGreaterThan(40)
    expect(readEntries('errors.md')).toEqual(expect.arrayContaining(unique(named)))
    const section = readPage('errors.md')
      .split(/^## /m)
      .find((text) => text.startsWith('413'))
    const ofLimits = [...(section ?? '').matchAll(/^\| `([A-Z_]+)`\s*\| (413|429|431)/gm)].map(
      ([, reason = '']) => reason,
    )
    expect(ofLimits.length).toBeGreaterThan(20)
    expect(ofLimits.filter((reason) => !readPage('limits.md').includes(`\`${reason}\``))).toEqual(
      [],
    )
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
    const byLogger = ['level', 'time', 'service', 'msg', 'trace_id', 'span_id', 'suppressed']
    const inCode = readSources()
      .filter((text) => /\blog\b/.test(text))
      .flatMap(readLogFields)
    expect([...namesIn('Log fields')].sort()).toEqual(unique([...byLogger, ...inCode]))
  })
})
