import { createHash } from 'node:crypto'
import type { OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import type { ApiPages } from '../context'

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>

const style = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code, pre { font: 14px/1.45 ui-monospace, monospace }
pre { overflow-x: auto; padding: .75rem; background: #8881; border-radius: 4px }
details { border: 1px solid #8884; border-radius: 4px; margin: .5rem 0; padding: .5rem .75rem }
summary { cursor: pointer }
summary b { display: inline-block; min-width: 3.5rem }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0 }
nav a { margin-right: 1rem }
`

const digest = createHash('sha256').update(style).digest('base64')
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${digest}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Renders the OpenAPI document; `listServers` returns its servers for clients at an origin. */
export function createApiPages(
  document: OpenApiDocument,
  listServers: (origin: string) => OpenApiDocument['servers'],
): ApiPages {
  // Serialized once; the servers, which depend on the request, are put in front.
  const rest = Buffer.from(JSON.stringify(document).slice(1))
  return {
    json: (origin) =>
      Buffer.concat([Buffer.from(`{"servers":${JSON.stringify(listServers(origin))},`), rest]),
    html: Buffer.from(renderPage(document)),
    policy,
  }
}

type Operation = NonNullable<NonNullable<OpenApiDocument['paths']>[string]['get']>

interface Entry {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const methods = ['get', 'post', 'patch', 'put', 'delete'] as const

function renderPage(document: OpenApiDocument): string {
  const { info, tags = [], components } = document
  const entries = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method): Entry[] => {
      const operation = item[method]
      return operation ? [{ method, path, operation }] : []
    }),
  )
  const shared = components?.responses ?? {}
  const sections = tags.map(({ name, description }) => {
    const own = entries.filter(({ operation }) => operation.tags?.includes(name))
    const details = own.map((entry) => renderEntry(entry, shared))
    return `<h2 id="${escape(name)}">${escape(name)}</h2><p>${escape(description ?? '')}</p>${details.join('')}`
  })
  const schemas = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]) =>
      `<details id="schema-${escape(name)}"><summary>${escape(name)}</summary>${renderJson(schema)}</details>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(info.title)} API ${escape(info.version)}</title><style>${style}</style></head><body>
<h1>${escape(info.title)} API ${escape(info.version)}</h1>
${renderText(info.description ?? '')}
<nav>${tags.map(({ name }) => `<a href="#${escape(name)}">${escape(name)}</a>`).join('')}<a href="#schemas">schemas</a></nav>
${sections.join('\n')}
<h2 id="schemas">schemas</h2>${schemas.join('\n')}
</body></html>`
}

type SharedResponses = Readonly<Record<string, unknown>>

function renderEntry({ method, path, operation }: Entry, shared: SharedResponses): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const parts = [
    `<summary><b>${method.toUpperCase()}</b> <code>${escape(path)}</code> ${escape(summary ?? '')}</summary>`,
    renderText(description ?? ''),
    renderParameters(parameters ?? []),
    requestBody ? `<h4>Body</h4>${renderContent(requestBody)}` : '',
    ...Object.entries(responses ?? {}).map(
      ([status, response]) => `<h4>${escape(status)}</h4>${renderResponse(response, shared)}`,
    ),
  ]
  return `<details id="${escape(operationId ?? '')}">${parts.join('')}</details>`
}

function renderParameters(parameters: readonly unknown[]): string {
  if (parameters.length === 0) return ''
  const rows = (parameters as Record<string, unknown>[]).map(
    ({ name, in: place, schema, description, required }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${escape(place)}${required ? ', required' : ''}</td><td>${escape(typeOf(schema))}</td><td>${escape(description ?? (schema as { description?: string } | undefined)?.description ?? '')}</td></tr>`,
  )
  return `<table>${rows.join('')}</table>`
}

function renderResponse(response: unknown, shared: SharedResponses): string {
  const { $ref, description } = response as { $ref?: string; description?: string }
  if ($ref !== undefined) return renderResponse(shared[$ref.replace(/.*\//, '')] ?? {}, {})
  return renderText(description ?? '') + renderContent(response)
}

function renderContent(holder: unknown): string {
  const { content = {} } = holder as { content?: Record<string, { schema?: unknown }> }
  return Object.values(content)
    .map(({ schema }) => renderJson(schema))
    .join('')
}

function renderJson(value: unknown): string {
  const json = escape(JSON.stringify(value, null, 2))
  // References become links to the schemas below.
  return `<pre>${json.replaceAll(/#\/components\/schemas\/(\w+)/g, '<a href="#schema-$1">$1</a>')}</pre>`
}

function renderText(text: string): string {
  const paragraphs = text.split('\n\n').filter((paragraph) => paragraph !== '')
  return paragraphs
    .map((paragraph) => `<p>${escape(paragraph).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
    .join('')
}

function typeOf(schema: unknown): string {
  const { type } = (schema ?? {}) as { type?: string | string[] }
  return [type ?? ''].flat().join(' or ')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(value: unknown): string {
  return String(value).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}
