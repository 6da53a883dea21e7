import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Sheaf, type Doc } from '@sheaf/client'
import { eventually } from '@sheaf/testkit/eventually'
import { homeWorkspace, useSystem } from '../support/system'

/* examples/form.mjs, run as its readers run it, and used as browsers use it. */

const system = useSystem()
const script = join(__dirname, '../../examples/form.mjs')

let doc: Doc
let url = ''
/** What the script has written for its operator. */
let messages = ''
const stops: (() => Promise<void>)[] = []
beforeEach(async () => {
  const { url: sheafUrl, ownerKey: key } = system.sheaf
  const workspaceId = await homeWorkspace(system.alice.rest)
  doc = await new Sheaf({ url: sheafUrl, key }).documents.create({ workspaceId, name: 'Form' })
  const widgetOptions = JSON.stringify({ choices: ['red', '"><script>alert(2)</script>'] })
  const hostile = '<script>alert(1)</script>'
  await doc.addTables([
    {
      id: 'People',
      columns: [
        { id: 'Name', fields: { type: 'Text', label: `Name & ${hostile}` } },
        { id: 'Age', fields: { type: 'Int' } },
        { id: 'Height', fields: { type: 'Numeric' } },
        { id: 'Member', fields: { type: 'Bool' } },
        { id: 'Born', fields: { type: 'Date' } },
        { id: 'Seen', fields: { type: 'DateTime:Europe/Berlin' } },
        { id: 'Team', fields: { type: 'Choice', widgetOptions } },
        { id: 'Tags', fields: { type: 'ChoiceList', widgetOptions } },
        { id: 'Upper', fields: { isFormula: true, formula: '$Name.upper()' } },
        { id: 'Boss', fields: { type: 'Ref:People' } },
      ],
    },
  ])
  await doc.table('People').columns.update([{ id: 'Name', fields: { description: hostile } }])
  url = await startForm()
})
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())))

/** Starts the script; resolves to the URL that it prints. */
async function startForm(): Promise<string> {
  const { url: URL, ownerKey: KEY } = system.sheaf
  const env = { PATH: process.env.PATH, URL, KEY, DOC: doc.id, TABLE: 'People', PORT: '0' }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  messages = ''
  child.stderr.on('data', (text: Buffer) => (messages += text.toString()))
  const closed = once(child, 'close')
  stops.push(async () => {
    child.kill()
    await closed
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return line.toString().trim()
}

async function openForm(): Promise<string> {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  return response.text()
}

const keyOf = (page: string) => /name="key" value="([^"]*)"/.exec(page)?.[1] ?? ''

/** Sends a form as a browser, without following the redirect. */
async function send(key: string, fields: readonly (readonly [column: string, value: string])[]) {
  const body = new URLSearchParams({ key })
  for (const [column, value] of fields) body.append(`cell.${column}`, value)
  const response = await fetch(url, { method: 'POST', body, redirect: 'manual' })
  return { status: response.status, page: await response.text(), headers: response.headers }
}

const records = async () => (await doc.table('People').all()).map(({ fields }) => fields)

/** The element with an id and what follows up to the end of its paragraph. */
const fieldOf = (page: string, column: string) =>
  new RegExp(`<[^<>]* id="cell\\.${column}"[^]*?</p>`).exec(page)?.[0] ?? ''

it('has a field of its type for each column that can be entered', async () => {
  const page = await openForm()
  const types = [...page.matchAll(/type="([a-z-]+)"(?: step="([a-z\d]+)")? id="cell\.(\w+)"/g)]
  expect(types.map(([, type, step, column]) => [column, type, step])).toEqual([
    ['Name', 'text', undefined],
    ['Age', 'number', '1'],
    ['Height', 'number', 'any'],
    ['Member', 'checkbox', undefined],
    ['Born', 'date', undefined],
    ['Seen', 'datetime-local', undefined],
  ])
  expect([...page.matchAll(/<select id="cell\.(\w+)"[^>]*>/g)].map(([, column]) => column)).toEqual(
    ['Team', 'Tags'],
  )
  expect(fieldOf(page, 'Team')).toContain('<option value="red">red</option>')
  for (const [, id] of page.matchAll(/label for="([^"]+)"/g)) expect(page).toContain(`id="${id}"`)
  expect(page).not.toContain('Upper')
  expect(page).not.toContain('Boss')
  expect(page).not.toContain(system.sheaf.ownerKey)
})

it('adds a record with the values of its types', async () => {
  const { status, headers } = await send(keyOf(await openForm()), [
    ['Name', 'Ada = 1'],
    ['Age', '36'],
    ['Height', '1.65'],
    ['Member', 'true'],
    ['Born', '1815-12-10'],
    ['Seen', '2026-01-02T10:00'],
    ['Team', 'red'],
    ['Tags', 'red'],
    ['Upper', 'not a field'],
  ])
  expect([status, headers.get('location')]).toEqual([303, '/thanks'])
  expect(await (await fetch(`${url}thanks`)).text()).toContain('Thank you')
  expect(await records()).toEqual([
    {
      Name: 'Ada = 1',
      Age: 36,
      Height: 1.65,
      Member: true,
      Born: Date.parse('1815-12-10T00:00:00Z') / 1_000,
      Seen: Date.parse('2026-01-02T10:00:00+01:00') / 1_000,
      Team: 'red',
      Tags: ['L', 'red'],
      Upper: 'ADA = 1',
      Boss: 0,
    },
  ])
})

it('adds one record for a form that is submitted twice, and another one for another form', async () => {
  const key = keyOf(await openForm())
  const fields = [['Name', 'Ada']] as const
  const sent = [send(key, fields), send(key, fields)]
  for (const { status } of await Promise.all(sent)) expect(status).toBe(303)
  expect((await send(key, fields)).status).toBe(303)
  expect(await records()).toHaveLength(1)
  const changed = await send(key, [['Name', 'Bob']])
  expect(changed.status).toBe(409)
  expect(changed.page).toContain('value="Bob"')
  expect((await send(keyOf(changed.page), [['Name', 'Bob']])).status).toBe(303)
  expect((await records()).map(({ Name }) => Name)).toEqual(['Ada', 'Bob'])
})

it('shows what is wrong at its field, and keeps what was entered', async () => {
  const fields = [
    ['Name', 'Ada'],
    ['Age', 'many'],
    ['Member', 'true'],
  ] as const
  const { status, page } = await send(keyOf(await openForm()), fields)
  expect(status).toBe(422)
  expect(fieldOf(page, 'Age')).toMatch(
    /value="many"[^]*aria-invalid="true"|aria-invalid="true"[^]*value="many"/,
  )
  expect(fieldOf(page, 'Age')).toMatch(/<strong>column &#34;Age&#34;: [^<]+<\/strong>/)
  expect(fieldOf(page, 'Name')).toContain('<strong></strong>')
  expect(fieldOf(page, 'Name')).toContain('value="Ada"')
  expect(fieldOf(page, 'Member')).toContain('checked')

  const other = await send(keyOf(page), [['Team', 'green']])
  expect(other.status).toBe(422)
  expect(fieldOf(other.page, 'Team')).toContain('<strong>Choose from the list.</strong>')
  expect(await records()).toEqual([])
  expect((await send(keyOf(page), [['Age', '3']])).status).toBe(303)
})

it('escapes labels, descriptions, choices and values', async () => {
  const page = await openForm()
  const escaped = '&#60;script&#62;alert(1)&#60;/script&#62;'
  expect(page).toContain(`>Name &#38; ${escaped}</label>`)
  expect(page).toContain(`>${escaped} <strong>`)
  const value = '"><script>alert(3)</script>'
  const refused = await send(keyOf(page), [
    ['Name', value],
    ['Age', value],
    ['Team', value],
  ])
  expect(refused.status).toBe(422)
  expect(refused.page).toContain('value="&#34;&#62;&#60;script&#62;alert(3)&#60;/script&#62;"')
  for (const shown of [page, refused.page]) expect(shown).not.toMatch(/<script/)
  // A choice is one with the markup that it has.
  const choice = '"><script>alert(2)</script>'
  expect((await send(keyOf(page), [['Team', choice]])).status).toBe(303)
  expect(await records()).toMatchObject([{ Team: choice }])
})

it('refuses forms that are too large or not its own, and other pages', async () => {
  const page = await openForm()
  expect((await send(keyOf(page), [['Name', 'x'.repeat(70_000)]])).status).toBe(413)
  for (const key of ['', 'mine', 'a\r\nb', 'x'.repeat(36)])
    expect((await send(key, [['Name', 'Ada']])).status).toBe(400)
  expect((await fetch(`${url}other`)).status).toBe(404)
  expect((await fetch(url, { method: 'DELETE' })).status).toBe(404)
})

it('tells visitors only that it is not available when Sheaf refuses a call, and its operator why', async () => {
  await doc.removeTables(['People'])
  const { status, page } = await send('0'.repeat(36), [['Name', 'Ada']])
  expect([status, (await fetch(url)).status]).toEqual([502, 502])
  expect(page).toContain('The form is not available.')
  expect(page).not.toContain('not found')
  await eventually(() => expect(messages).toContain('Table not found'))
})
