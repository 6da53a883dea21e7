// A web form that adds records to a table. It is made from the columns of the table, as they are when the form is opened:
//
//   URL=http://localhost:8080 KEY=shf_… DOC=<docId> TABLE=People PORT=3000 node examples/form.mjs
//
// It has fields for text, numbers, dates, yes or no, and choices, but not for references, attachments and formulas. Only this
// program knows the key: use one whose caps permit this table alone, and few rows per hour. It listens on 127.0.0.1, for a
// proxy with TLS.

import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { URLSearchParams } from 'node:url'
import { InvalidRequestError, Sheaf } from '@sheaf/client'

const MAX_BYTES = 64 * 1024

const { URL: url, KEY: key, DOC: docId, TABLE: tableId, PORT: port = '3000' } = process.env
// Visitors wait for a Sheaf that does not respond, but not for long.
const sheaf = new Sheaf({ url, key, retry: { totalMs: 10_000 } })
const table = sheaf.doc(docId).table(tableId)

/** Attributes of the input for a column type. */
const inputs = new Map([
  ['Text', { type: 'text' }],
  ['Numeric', { type: 'number', step: 'any' }],
  ['Int', { type: 'number', step: '1' }],
  ['Bool', { type: 'checkbox' }],
  ['Date', { type: 'date' }],
  ['DateTime', { type: 'datetime-local' }],
])
const selects = new Set(['Choice', 'ChoiceList'])

/** Text of HTML. */
class Markup {
  constructor(text) {
    this.text = text
  }
}

/** Creates markup from a template, in which all values are escaped that are not markup or lists of it. */
function html(strings, ...values) {
  return new Markup(String.raw({ raw: strings }, ...values.map(toHtml)))
}

function toHtml(value) {
  if (value instanceof Markup) return value.text
  if (Array.isArray(value)) return value.map(toHtml).join(' ')
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Lists the columns that the form has. */
async function readFields() {
  const columns = await table.columns.list()
  return columns
    .map(({ id, fields }) => ({ ...fields, id, type: fields.type.split(':')[0] }))
    .filter(({ isFormula, type }) => !isFormula && (inputs.has(type) || selects.has(type)))
    .map(({ id, label, description, type, widgetOptions }) => {
      const choices = readChoices(widgetOptions)
      return { id, label: label || id, description, type, choices, name: `cell.${id}` }
    })
}

function readChoices(widgetOptions) {
  try {
    const { choices } = JSON.parse(widgetOptions)
    return Array.isArray(choices) ? choices.map(String) : []
  } catch {
    // Columns without options have an empty text.
    return []
  }
}

/** Renders a field, with what was entered before, and what is wrong with it. */
function renderField(field, values, error = '') {
  const { name, label, description } = field
  return html`<p>
    <label for="${name}">${label}</label><br />
    ${renderControl(field, values.getAll(name), error === '' ? 'false' : 'true')}
    <small id="${name}.note">${description} <strong>${error}</strong></small>
  </p>`
}

function renderControl({ name, type, choices }, entered, isInvalid) {
  const common = { id: name, name, 'aria-invalid': isInvalid, 'aria-describedby': `${name}.note` }
  if (inputs.has(type)) {
    const isSet = entered.length > 0
    const state = type === 'Bool' ? { value: 'true', checked: isSet } : { value: entered[0] ?? '' }
    return html`<input ${toAttributes({ ...inputs.get(type), ...common, ...state })} />`
  }
  const isList = type === 'ChoiceList'
  const options = (isList ? choices : ['', ...choices]).map((value) => {
    const selected = entered.includes(value)
    return html`<option ${toAttributes({ value, selected })}>${value}</option>`
  })
  return html`<select ${toAttributes({ ...common, multiple: isList })}>
    ${options}
  </select>`
}

const toAttributes = (attributes) =>
  Object.entries(attributes)
    .filter(([, value]) => value !== false)
    .map(([name, value]) => html`${name}="${value}"`)

const renderPage = (body) =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${tableId}</title>
      <h1>${tableId}</h1>
      ${body}
    </html>`

/** Each rendering has a key, with which Sheaf adds one record, however often the form is submitted. */
function renderForm(fields, { values = new URLSearchParams(), errors = new Map(), message = '' }) {
  return renderPage(
    html`<form method="post">
      <p role="alert">${message}</p>
      <input type="hidden" name="key" value="${randomUUID()}" />
      ${fields.map((field) => renderField(field, values, errors.get(field.id)))}
      <button>Send</button>
    </form>`,
  )
}

/** Converts what was entered to cells. Sheaf checks that they fit their columns, except for choices, which it does not restrict. */
function toRecord(fields, values) {
  const errors = new Map()
  const cells = fields.flatMap(({ id, name, type, choices }) => {
    const entered = values.getAll(name).filter((value) => value !== '')
    if (type === 'Bool') return [[id, entered.length > 0]]
    if (entered.length === 0) return []
    if (selects.has(type) && !entered.every((value) => choices.includes(value)))
      errors.set(id, 'Choose from the list.')
    return [[id, type === 'ChoiceList' ? ['L', ...entered] : entered[0]]]
  })
  return { record: Object.fromEntries(cells), errors }
}

/** Adds a record. A form with mistakes is shown again, with a new key. */
async function submit(values) {
  const idempotencyKey = values.get('key') ?? ''
  if (!/^[0-9a-f-]{36}$/.test(idempotencyKey)) return failure(400, 'The form is not complete.')
  const fields = await readFields()
  const { record, errors } = toRecord(fields, values)
  if (errors.size > 0) return { status: 422, body: renderForm(fields, { values, errors }) }
  try {
    // Browsers send numbers and dates in the form that is not parsed by the locale of the document.
    await table.add([record], { idempotencyKey, strict: true, noParse: true })
    return { status: 303, headers: { location: '/thanks' } }
  } catch (error) {
    if (error.reason === 'IDEMPOTENCY_KEY_REUSED') {
      const message =
        'This form was sent before, with other values. Send it again to add these too.'
      return { status: 409, body: renderForm(fields, { values, message }) }
    }
    const { column } = error instanceof InvalidRequestError ? error.details : {}
    if (!fields.some(({ id }) => id === column)) throw error
    const wrong = new Map([[column, error.message]])
    return { status: 422, body: renderForm(fields, { values, errors: wrong }) }
  }
}

/** Reads a submitted form; undefined for one that is too large, of which the rest is discarded. */
async function readForm(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= MAX_BYTES) chunks.push(chunk)
    else chunks.length = 0
  }
  return bytes > MAX_BYTES ? undefined : new URLSearchParams(Buffer.concat(chunks).toString())
}

const failure = (status, text) => ({ status, body: renderPage(html`<p role="alert">${text}</p>`) })

async function respond(request) {
  const [path] = request.url.split('?')
  const call = `${request.method} ${path}`
  if (call === 'GET /thanks')
    return { status: 200, body: renderPage(html`<p>Thank you. <a href="/">Add another</a></p>`) }
  if (call === 'GET /') return { status: 200, body: renderForm(await readFields(), {}) }
  if (call !== 'POST /') return failure(404, 'There is no such page.')
  const values = await readForm(request)
  return values ? submit(values) : failure(413, 'This is too long.')
}

const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

const server = createServer(async (request, response) => {
  const { status, headers, body } = await respond(request).catch((error) => {
    console.error(error.message)
    return failure(502, 'The form is not available. Try again later.')
  })
  response.writeHead(status, { ...securityHeaders, ...headers }).end(body?.text)
})
server.requestTimeout = 30_000
server.listen(Number(port), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/`),
)
