import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { emailOf, newDocument, readRecords } from '../support/system'
import { requireOk } from '../support/webhooks'
import { findViolations, patience, signIn, useChromium, type Visit } from './chromium'

const BOB = emailOf('bob')
const EVA = emailOf('eva')

const { openDesk, visit } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let doc: string
let page: Page
/** Somebody without an account, on a phone. */
let anyone: Visit
let opened = 0

beforeAll(async () => {
  ;({ sheaf, rest, page } = await openDesk())
  doc = await newDocument(rest, 'Asked')
  anyone = await visit({ viewport: { width: 390, height: 844 } })
})
afterAll(() => anyone?.[Symbol.asyncDispose]())

const choices = { widgetOptions: JSON.stringify({ choices: ['tea', 'coffee'] }) }
const percent = { widgetOptions: JSON.stringify({ numMode: 'percent' }) }
const columns = [
  { id: 'Name', fields: { type: 'Text', label: 'Full name' } },
  { id: 'Guests', fields: { type: 'Int', label: 'Guests' } },
  { id: 'Day', fields: { type: 'Date', label: 'Day' } },
  { id: 'At', fields: { type: 'DateTime:Europe/Berlin', label: 'At' } },
  { id: 'Drink', fields: { type: 'Choice', label: 'Drink', ...choices } },
  { id: 'Drinks', fields: { type: 'ChoiceList', label: 'Drinks', ...choices } },
  { id: 'Agreed', fields: { type: 'Bool', label: 'Agreed' } },
  { id: 'Share', fields: { type: 'Numeric', label: 'Share', ...percent } },
  {
    id: 'Double',
    fields: { type: 'Any', label: 'Double', isFormula: true, formula: '$Guests * 2' },
  },
]

/** Makes a table. Returns its path. */
async function addTable(): Promise<string> {
  const id = `Party${++opened}`
  requireOk(await rest.post(`${doc}/tables`, { body: { tables: [{ id, columns }] } }))
  return `${doc}/tables/${id}`
}

const consoleUrl = (path: string) => `${sheaf.url}/console${path.replace('/api', '')}`

async function showTable(table: string, on = page): Promise<void> {
  await on.goto(consoleUrl(table))
  await on.getByText('Live', { exact: true }).waitFor()
}

async function addForm(table: string, form: object): Promise<number> {
  const body = { views: [{ fields: { name: 'Sign up', type: 'form', form } }] }
  const added = requireOk(await rest.post<{ views: { id: number }[] }>(`${table}/views`, { body }))
  return added.views[0]?.id ?? 0
}

/** Makes a table with a form that has a link. */
async function shareForm(form: object): Promise<{ table: string; url: string; link: string }> {
  const table = await addTable()
  const link = `${doc}/forms/${await addForm(table, form)}/link`
  const { body } = await rest.post<{ link: { url: string } }>(link, { body: {} })
  return { table, url: body.link.url, link }
}

const rowsOf = async (table: string) => (await readRecords(rest, table)).map(({ fields }) => fields)
const textOf = (on: Page, role: 'heading' | 'status', name?: string) =>
  on.getByRole(role, name === undefined ? {} : { name })

describe('a form', () => {
  it('is made and shared by an owner, and filled in without an account', async () => {
    const table = await addTable()
    await showTable(table)
    await page.getByRole('button', { name: /^View: / }).click()
    await page.getByRole('menuitem', { name: 'New form view…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Sign up')
    await page.getByRole('button', { name: 'Create' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByRole('heading', { name: 'Sign up' }).waitFor()

    await page.getByLabel('Title').fill('Summer party')
    const name = page.getByRole('listitem', { name: 'Full name' })
    await name.getByLabel('Question').fill('Who are you?')
    await name.getByLabel('Help').fill('As on your pass')
    await name.getByLabel('Required').check()
    await page.getByRole('button', { name: 'Move Guests up' }).click()
    await page.getByRole('button', { name: 'Remove Day' }).click()
    await page.locator('[aria-label^="Remove "]:focus').waitFor()
    await page.getByLabel('Message after sending').fill('See you there!')
    await page.getByLabel('Offer to send another answer').check()
    await preview.getByRole('heading', { name: 'Summer party' }).waitFor()
    await page.getByText('Not possible in a form: Double').waitFor()
    await page.getByRole('button', { name: 'Save form' }).click()
    await eventually(async () => {
      const { views } = (
        await rest.get<{ views: { fields: { form: object } }[] }>(`${table}/views`)
      ).body
      expect(views[0]?.fields.form).toMatchObject({
        title: 'Summer party',
        fields: [{ id: 'Guests' }, { id: 'Name', required: true }, { id: 'At' }, {}, {}, {}, {}],
      })
    }, patience)
    expect(await findViolations(page)).toEqual([])

    await page.getByRole('button', { name: 'Share with a link' }).click()
    const url = (await page.getByRole('textbox', { name: 'Link of the form' }).textContent()) ?? ''
    expect(url).toMatch(/\/forms\/[\w-]{32}$/)

    const on = anyone.page
    await on.goto(url)
    await textOf(on, 'heading', 'Summer party').waitFor()
    expect(await findViolations(on)).toEqual([])
    await on.getByLabel('Guests').fill('2')
    await on.getByLabel('Who are you?').fill('Ada')
    await on.getByLabel('At').fill('2026-03-01T09:30')
    await on.getByLabel('coffee').first().check()
    await on.getByRole('group', { name: 'Drinks' }).getByLabel('tea').check()
    await on.getByLabel('Agreed').check()
    await on.getByRole('button', { name: 'Send' }).click()
    await on.getByText('See you there!').waitFor()
    expect(await findViolations(on)).toEqual([])
    expect(await rowsOf(table)).toMatchObject([
      {
        ...{ Name: 'Ada', Guests: 2, At: 1772353800, Drink: 'coffee', Drinks: ['L', 'tea'] },
        ...{ Agreed: true, Day: null, Double: 4 },
      },
    ])
    await on.getByRole('button', { name: 'Send another answer' }).click()
    expect(await on.getByLabel('Who are you?').inputValue()).toBe('')

    await page.goto(consoleUrl(`${doc}/history`))
    await page.getByText('A form', { exact: true }).first().waitFor()
  })

  it('begins with the answers in its address, which people can change', async () => {
    const fields = columns.slice(0, -1).map(({ id }) => ({ id }))
    const { table, url } = await shareForm({ fields, again: true })
    const on = anyone.page
    const answers = ['prefill_full+name=Ada', 'prefill_Guests=many', 'prefill_At=2026-03-01T09:30']
    const choices = ['prefill_Drink=tea', 'prefill_Drinks=tea,coffee', 'prefill_Agreed=true']
    await on.goto(`${url}?${[...answers, ...choices].join('&')}`)
    await on.getByLabel('Full name').waitFor()
    expect(await on.getByLabel('Guests').inputValue()).toBe('')
    expect(await on.getByLabel('Agreed').isChecked()).toBe(true)
    await on.getByLabel('Full name').fill('Ada L.')
    await on.getByText('In percent').waitFor()
    await on.getByLabel('Share').fill('7')
    await on.getByRole('button', { name: 'Send' }).click()
    await on.getByText('Thank you.').waitFor()
    expect(await rowsOf(table)).toMatchObject([
      {
        ...{ Name: 'Ada L.', Guests: 0, At: 1772353800, Agreed: true },
        ...{ Drink: 'tea', Drinks: ['L', 'tea', 'coffee'], Share: 0.07 },
      },
    ])
    await on.getByRole('button', { name: 'Send another answer' }).click()
    expect(await on.getByLabel('Full name').inputValue()).toBe('Ada')
  })

  it('says what is wrong at its question, and moves the focus to the first', async () => {
    const fields = [
      { id: 'Guests' },
      { id: 'Name', required: true },
      { id: 'Drink', required: true },
    ]
    const { table, url } = await shareForm({ fields })
    const on = anyone.page
    await on.goto(url)
    await on.getByLabel('Guests').fill('two')
    await on.getByRole('button', { name: 'Send' }).click()
    await on.getByText('3 answers need a correction.').waitFor()
    const guests = on.getByLabel('Guests')
    expect(await guests.getAttribute('aria-invalid')).toBe('true')
    expect(await on.evaluate<string>('document.activeElement.value')).toBe('two')
    await on.getByText('Enter a whole number, such as 1500.').waitFor()
    expect(await findViolations(on)).toEqual([])
    await guests.fill('3')
    await on.getByLabel('Full name').fill('Ada')
    await on.getByRole('button', { name: 'Send' }).click()
    await on.getByText('One answer needs a correction.').waitFor()
    expect(await on.evaluate<string>('document.activeElement.type')).toBe('radio')
    await on.keyboard.press('Space')
    await on.keyboard.press('Enter')
    await on.getByText('Thank you. Your answers have been sent.').waitFor()
    expect(await rowsOf(table)).toMatchObject([{ Guests: 3, Name: 'Ada', Drink: 'tea' }])
  })

  it('loses nothing when it cannot be sent, and is then sent once', async () => {
    const { table, url } = await shareForm({ fields: [{ id: 'Name', multiline: true }] })
    const on = anyone.page
    await on.goto(url)
    await on.getByLabel('Full name').fill('Ada\nLovelace')
    const keys: (string | undefined)[] = []
    // The row is added, but the answer is lost.
    await on.route('**/rows', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      await route.fetch()
      await route.abort()
    })
    await on.getByRole('button', { name: 'Send' }).click()
    await on.getByText('Nothing that you entered is lost.').waitFor()
    expect(await on.getByLabel('Full name').inputValue()).toBe('Ada\nLovelace')
    await on.unroute('**/rows')
    await on.getByRole('button', { name: 'Send' }).click()
    await on.getByText('Thank you.').waitFor()
    expect(new Set(keys).size).toBe(1)
    expect(await rowsOf(table)).toMatchObject([{ Name: 'Ada\nLovelace' }])
  })

  it('is not open once its link was switched off', async () => {
    const { url, link } = await shareForm({ fields: [{ id: 'Name' }] })
    const on = anyone.page
    await on.goto(url)
    await on.getByLabel('Full name').fill('Ada')
    requireOk(await rest.delete(link))
    await on.getByRole('button', { name: 'Send' }).click()
    await on.getByText('This form is no longer open').waitFor()
    on.once('dialog', (dialog) => void dialog.accept())
    await on.goto(url)
    await textOf(on, 'heading', 'This form is not open').waitFor()
    expect(await findViolations(on)).toEqual([])
  })

  it('asks before changes are lost', async () => {
    const table = await addTable()
    const viewId = await addForm(table, { fields: [{ id: 'Name' }] })
    await showTable(table)
    await page.getByRole('button', { name: /^View: / }).click()
    await page.getByRole('menuitemradio', { name: 'Sign up' }).click()
    await page.getByLabel('Title').fill('Other')
    await page.getByRole('link', { name: 'History' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByLabel('Title').inputValue()).toBe('Other')
    // The same path, but all rows.
    await page.getByRole('link', { name: table.split('/').at(-1) ?? '', exact: true }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.goBack()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForURL(`**?view=${viewId}`)
    expect(await page.getByLabel('Title').inputValue()).toBe('Other')
    await page.getByRole('button', { name: /^View: / }).click()
    await page.getByRole('menuitemradio', { name: 'All rows' }).click()
    await dialog.getByRole('button', { name: 'Leave without saving' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await eventually(() => expect(page.url()).not.toContain('view='), patience)
  })

  it('that someone else has changed since it was edited is overwritten only after a question', async () => {
    const table = await addTable()
    const id = await addForm(table, { fields: [{ id: 'Name' }] })
    const body = (title: string) => ({
      views: [{ id, fields: { form: { title, fields: [{ id: 'Name' }] } } }],
    })
    const stored = async () => {
      const { views } = (
        await rest.get<{ views: { fields: { form: { title: string } } }[] }>(`${table}/views`)
      ).body
      return views[0]?.fields.form.title
    }
    await page.goto(consoleUrl(`${table}?view=${id}`))
    const title = page.getByLabel('Title')
    const save = page.getByRole('button', { name: 'Save form' })
    const dialog = page.getByRole('dialog', { name: 'Someone else has changed this form' })
    await title.fill('Mine')
    requireOk(await rest.patch(`${table}/views`, { body: body('Theirs') }))
    await save.click()
    await dialog.waitFor()
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await title.inputValue()).toBe('Mine')
    await save.click()
    await dialog.getByRole('button', { name: 'Show theirs' }).click()
    await eventually(async () => expect(await title.inputValue()).toBe('Theirs'), patience)
    expect(await stored()).toBe('Theirs')
    await title.fill('Mine again')
    requireOk(await rest.patch(`${table}/views`, { body: body('Theirs again') }))
    await save.click()
    await dialog.getByRole('button', { name: 'Save mine' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toBe('Mine again')
  })

  it('keeps the edits of a question whose column someone else renames', async () => {
    const table = await addTable()
    const id = await addForm(table, { fields: [{ id: 'Name' }, { id: 'Guests' }] })
    await page.goto(consoleUrl(`${table}?view=${id}`))
    const guests = page.getByRole('listitem', { name: 'Guests' })
    await guests.getByLabel('Question').fill('How many are you?')
    const columns = [{ id: 'Guests', fields: { label: 'Visitors' } }]
    requireOk(await rest.patch(`${table}/columns`, { body: { columns } }))
    await page.getByRole('listitem', { name: 'Visitors' }).waitFor()
    await page.getByRole('button', { name: 'Save form' }).click()
    await eventually(async () => {
      const { views } = (await rest.get<{ views: object[] }>(`${table}/views`)).body
      const fields = [{ id: 'Name' }, { id: 'Visitors', label: 'How many are you?' }]
      expect(views).toMatchObject([{ fields: { form: { fields } } }])
    }, patience)
  })

  it('is shown to viewers, changed by editors, and shared by owners', async () => {
    const { table, link } = await shareForm({ fields: [{ id: 'Name' }] })
    await sheaf.createUser(BOB, 'Bob')
    await sheaf.createUser(EVA, 'Eva')
    const users = { [BOB]: 'viewers', [EVA]: 'editors' }
    requireOk(await rest.patch(`${doc}/access`, { body: { delta: { users } } }))
    const { views } = (await rest.get<{ views: { id: number }[] }>(`${table}/views`)).body
    const path = `${table}?view=${views[0]?.id}`
    await using bob = await visit()
    await signIn(bob, sheaf, BOB)
    await bob.page.goto(consoleUrl(path))
    await bob.page.getByRole('region', { name: 'Preview' }).waitFor()
    expect(await bob.page.getByRole('button', { name: 'Save form' }).count()).toBe(0)
    expect(await bob.page.getByText('Link of the form').count()).toBe(0)
    await using eva = await visit({ colorScheme: 'dark' })
    await signIn(eva, sheaf, EVA)
    await eva.page.goto(consoleUrl(path))
    await eva.page.getByRole('link', { name: 'Open form' }).waitFor()
    expect(await eva.page.getByRole('button', { name: 'Stop sharing…' }).count()).toBe(0)
    expect(await findViolations(eva.page)).toEqual([])
    requireOk(await rest.delete(link))
    await eva.page.reload()
    await eva.page.getByText('Only owners of the document can share it.').waitFor()
  })
})
