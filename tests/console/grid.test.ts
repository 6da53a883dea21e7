import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Locator, Page } from 'playwright-core'
import { addRecords, addTable, emailOf, newDocument } from '../support/system'
import { findViolations, patience, signIn, useChromium, type Visit } from './chromium'

const ROWS = 50_000
const BATCH = 5_000

const { openDesk, visit } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let doc: string
let desk: Visit
let page: Page

beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openDesk({ viewport: { width: 1200, height: 850 } }))
  doc = await newDocument(rest, 'Grid')
})

/** Adds a table of three people. Returns the path of its records. */
async function addPeople(id: string): Promise<string> {
  await addTable(rest, doc, id, { Name: 'Text', Age: 'Int', Born: 'Date' })
  await addRecords(rest, `${doc}/tables/${id}`, [
    { Name: 'Ada', Age: 36, Born: '1815-12-10' },
    { Name: 'Zoe', Age: 5, Born: '2020-01-02' },
    { Name: 'Bob', Age: 36, Born: '1990-06-07' },
  ])
  return `${doc}/tables/${id}/records`
}

const cell = (row: number, column: string): Locator =>
  page.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)
const head = (column: string): Locator => page.locator(`.ag-header-cell[col-id="${column}"]`)
const shows = (row: number, column: string, text: string) =>
  eventually(async () => (await cell(row, column).textContent()) === text, patience)

/** Types into the focused cell or its open editor. */
async function enter(text: string, key: string, became = text): Promise<void> {
  await page.keyboard.type(text)
  const field = page.locator('.cell-field')
  await eventually(async () => (await field.inputValue()) === became, patience)
  await page.keyboard.press(key)
}

async function open(table: string, query = ''): Promise<void> {
  await page.goto(`${sheaf.url}/console${doc.replace('/api', '')}/tables/${table}${query}`)
  await page.locator('.ag-row:not(.row-waiting) [col-id="Name"]').first().waitFor()
}

async function names(): Promise<string[]> {
  const shown = await page
    .locator('.ag-row')
    .evaluateAll((rows: never[]) =>
      rows.map((row: { getAttribute(name: string): string; querySelector(at: string): never }) => [
        Number(row.getAttribute('row-index')),
        (row.querySelector('[col-id="Name"]') as { textContent: string } | null)?.textContent,
      ]),
    )
  return shown.sort(([a], [b]) => Number(a) - Number(b)).map(([, name]) => String(name))
}

const showNames = (...wanted: string[]) =>
  eventually(async () => expect(await names()).toEqual(wanted), patience)

async function menu(column: string, item: string): Promise<void> {
  await head(column)
    .getByRole('button', { name: `Column menu: ${column}` })
    .click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

interface StoredRow {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
}

const stored = async (path: string): Promise<readonly StoredRow[]> =>
  (await rest.get<{ records: StoredRow[] }>(path)).body.records

describe('the rows of a table', () => {
  it('are sorted by several columns on the server, as the URL specifies', async () => {
    await addPeople('Sorted')
    await open('Sorted')
    await head('Age').locator('.head').click()
    await showNames('Zoe', 'Ada', 'Bob')
    await head('Name')
      .locator('.head')
      .click({ modifiers: ['Shift'] })
    // The next click is about the order that is shown.
    await eventually(async () => (await head('Name').getAttribute('aria-sort')) === 'ascending')
    await head('Name')
      .locator('.head')
      .click({ modifiers: ['Shift'] })
    await showNames('Zoe', 'Bob', 'Ada')
    expect(new URL(page.url()).searchParams.get('sort')).toBe('Age,-Name')
    await eventually(async () => (await head('Age').getAttribute('aria-sort')) === 'ascending')
    await page.reload()
    await showNames('Zoe', 'Bob', 'Ada')
    await menu('Name', 'Sort Z → A')
    await showNames('Zoe', 'Bob', 'Ada')
    await page.waitForURL(({ searchParams }) => searchParams.get('sort') === '-Name')
    await page.goBack()
    await page.getByRole('button', { name: 'Clear all' }).click()
    await showNames('Ada', 'Zoe', 'Bob')
  })

  it('are filtered by the values of a column, until the filter is cleared', async () => {
    await addPeople('Filtered')
    await open('Filtered')
    await menu('Age', 'Filter by this column…')
    const form = page.getByRole('dialog', { name: 'Filter' })
    await form.getByLabel('Value of Age').fill('many')
    await form.getByRole('alert').getByText('“many” is not a number.').waitFor()
    expect(await findViolations(page)).toEqual([])
    await form.getByLabel('Value of Age').fill('36')
    await showNames('Ada', 'Bob')
    await page.getByText('2 rows (filtered)').waitFor()
    await page.keyboard.press('Escape')
    await menu('Name', 'Filter by this column…')
    await page.keyboard.type('nobody')
    await page.getByText('No rows match the filters').waitFor()
    await page.keyboard.press('Escape')
    expect(await findViolations(page)).toEqual([])
    await page.reload()
    await page.getByText('No rows match the filters').waitFor()
    await page.getByRole('button', { name: 'Remove Name contains nobody' }).click()
    await page.locator('.grid-bar button:focus').waitFor()
    await showNames('Ada', 'Bob')
    await page.getByRole('button', { name: 'Clear all' }).click()
    await showNames('Ada', 'Zoe', 'Bob')
    await page.goto(`${page.url()}?filter={"Nope":[1]}`)
    await page
      .getByRole('alert')
      .getByText(/unknown column/)
      .waitFor()
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await showNames('Ada', 'Zoe', 'Bob')
  })

  it('are edited with the keyboard only, and show the stored values', async () => {
    const path = await addPeople('Edited')
    await open('Edited')
    await cell(0, 'Name').click()
    await enter('Grace', 'Tab')
    await shows(0, 'Name', 'Grace')
    await page.keyboard.press('Escape')
    await cell(0, 'Age').click()
    await page.keyboard.press('ArrowDown')
    await enter('007', 'Enter')
    await shows(1, 'Age', '7')
    await cell(2, 'Name').click()
    await page.keyboard.press('F2')
    await page.locator('.cell-field:focus').press('End')
    await enter('by', 'Enter', 'Bobby')
    await shows(2, 'Name', 'Bobby')
    await cell(2, 'Age').click()
    await page.keyboard.press('Delete')
    await eventually(async () => {
      const fields = (await stored(path)).map((row) => [row.fields.Name, row.fields.Age])
      expect(fields).toEqual([
        ['Grace', 36],
        ['Zoe', 7],
        ['Bobby', null],
      ])
    }, patience)
  })

  it('accept a block of cells from the clipboard, and copy one to it', async () => {
    const path = await addPeople('Pasted')
    await desk.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await open('Pasted')
    await page.evaluate(`navigator.clipboard.writeText('"one\\nline"\\t1\\ntwo\\t2\\n')`)
    await cell(1, 'Name').click()
    await page.keyboard.press('Control+v')
    await shows(2, 'Name', 'two')
    await eventually(async () => {
      const fields = (await stored(path)).map((row) => [row.fields.Name, row.fields.Age])
      expect(fields.slice(1)).toEqual([
        ['one\nline', 1],
        ['two', 2],
      ])
    }, patience)
    await cell(2, 'Name').click()
    await page.keyboard.press('Control+c')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('two')
    await cell(2, 'Name').click()
    await page.evaluate(`navigator.clipboard.writeText('three\\nfour')`)
    await page.keyboard.press('Control+v')
    await page.getByRole('dialog', { name: 'Add 1 row?' }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await stored(path)).toHaveLength(3)
    await shows(2, 'Name', 'two')
  })

  it('show the old value and the reason when the server rejects a new one', async () => {
    const path = await addPeople('Refused')
    await open('Refused')
    await page.route('**/batch', (route) =>
      route.fulfill({ status: 400, json: { error: 'not on a Sunday' } }),
    )
    await cell(0, 'Name').click()
    await enter('Eve', 'Enter')
    await page.getByRole('alert').getByText('Name, row 1: not on a Sunday').waitFor()
    await shows(0, 'Name', 'Ada')
    expect(await findViolations(page)).toEqual([])
    await page.unroute('**/batch')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    expect((await stored(path))[0]?.fields.Name).toBe('Ada')
  })

  it('are added, with the focus in the new one, and deleted when they are selected', async () => {
    const path = await addPeople('Added')
    await open('Added')
    await page.getByRole('button', { name: 'Add row' }).click()
    await page.locator('.cell-field').waitFor()
    await enter('Mia', 'Enter')
    await shows(3, 'Name', 'Mia')
    await page.getByText('4 rows', { exact: true }).waitFor()
    for (const row of [0, 1])
      await page.locator(`.ag-row[row-index="${row}"] input[type=checkbox]`).check()
    await page.getByRole('button', { name: 'Delete 2 rows' }).click()
    await page.getByText('2 rows', { exact: true }).waitFor()
    await showNames('Bob', 'Mia')
    expect((await stored(path)).map(({ fields }) => fields.Name)).toEqual(['Bob', 'Mia'])
  })

  it('suggest the next step if there are none', async () => {
    await addTable(rest, doc, 'Empty', { Name: 'Text' })
    await page.goto(`${sheaf.url}/console${doc.replace('/api', '')}/tables/Empty`)
    await page.getByText('This table has no rows yet').waitFor()
    expect(await findViolations(page)).toEqual([])
    expect(desk.faults.filter((fault) => !fault.includes('400'))).toEqual([])
  })
})

describe('changes by other users', () => {
  it('appear live: cells, rows, columns', async () => {
    const path = await addPeople('Shared')
    await open('Shared')
    await page.getByText('Live', { exact: true }).waitFor()
    const [first] = await stored(path)
    const id = first?.id ?? 0
    await rest.patch(path, { body: { records: [{ id, fields: { Name: 'Lovelace' } }] } })
    await shows(0, 'Name', 'Lovelace')
    await rest.post(path, { body: { records: [{ fields: { Name: 'Max' } }] } })
    await showNames('Lovelace', 'Zoe', 'Bob', 'Max')
    await page.getByText('4 rows', { exact: true }).waitFor()
    await rest.post(`${path}/delete`, { body: [id] })
    await showNames('Zoe', 'Bob', 'Max')
    const columns = [{ id: 'Town', fields: { type: 'Text', label: 'Town' } }]
    await rest.post(`${doc}/tables/Shared/columns`, { body: { columns } })
    await head('Town').waitFor()
  })

  it('arrive in one stream per document, which ends with the page', async () => {
    const path = await addPeople('Streamed')
    await using other = await visit({ storageState: await desk.context.storageState() })
    const streams: string[] = []
    const ended: string[] = []
    const isStream = (url: string) => url.includes('/changes')
    other.page.on('request', (request) => isStream(request.url()) && streams.push(request.url()))
    other.page.on('requestfailed', (request) => isStream(request.url()) && ended.push('ended'))
    other.page.on('requestfinished', (request) => isStream(request.url()) && ended.push('ended'))
    await other.page.goto(`${sheaf.url}/console${path.replace(/^\/api|\/records$/g, '')}`)
    await other.page.getByText('Live', { exact: true }).waitFor()
    await other.page.getByRole('link', { name: 'Shared', exact: true }).click()
    await other.page.getByText('3 rows', { exact: true }).waitFor()
    expect(streams).toHaveLength(1)
    await other.page.getByRole('link', { name: 'Sheaf' }).click()
    await eventually(() => ended.length === 1, patience)
  })
})

describe('a long table', () => {
  beforeAll(async () => {
    await addTable(rest, doc, 'Long', { Name: 'Text', Age: 'Int' })
    for (let at = 0; at < ROWS; at += BATCH) {
      const rows = Array.from({ length: BATCH }, (_, place) => ({
        Name: `row ${at + place + 1}`,
        Age: place % 90,
      }))
      await addRecords(rest, `${doc}/tables/Long`, rows)
    }
  })

  it('shows its last row after a jump to its end, with few rows in the DOM', async () => {
    await open('Long')
    await page.getByText('50,000 rows').waitFor()
    await cell(0, 'Name').click()
    await page.keyboard.press('Control+End')
    await page.locator('.ag-row').getByText(`row ${ROWS}`, { exact: true }).waitFor()
    expect(await page.locator('.ag-row').count()).toBeLessThan(200)
    await page.keyboard.press('Control+Home')
    await shows(0, 'Name', 'row 1')
  })

  it('stays on the page while the server is away, and goes on when it is back', async () => {
    await open('Long')
    await page.getByText('rows').first().waitFor()
    const isAway = (url: URL) => url.pathname.startsWith('/api/docs/')
    await page.route(isAway, (route) => route.abort())
    await page.evaluate(`document.querySelector('.ag-grid-viewport').scrollTop = 600_000`)
    await page.getByText('Rows cannot be read at the moment').waitFor()
    expect(await page.locator('.ag-row.row-preview').count()).toBeGreaterThan(10)
    expect(await page.locator('.grid-message').count()).toBe(0)
    await page.unroute(isAway)
    await page
      .locator('.ag-row:not(.row-preview)')
      .getByText('row 17650', { exact: true })
      .waitFor()
    await page.getByText('Rows cannot be read at the moment').waitFor({ state: 'detached' })
  })

  it('is sorted in descending order and filtered', async () => {
    await open('Long', '?sort=-Age&filter={"Name":{"startsWith":"row 4999","ignoreCase":true}}')
    await page.getByText('11 rows (filtered)').waitFor()
    await eventually(async () => expect(await names()).toHaveLength(11), patience)
  })

  it('accepts a new row at its end', async () => {
    await open('Long')
    await page.getByRole('button', { name: 'Add row' }).click()
    await page.locator('.cell-field').waitFor()
    await enter('the last', 'Enter')
    await shows(ROWS, 'Name', 'the last')
  })
})

describe('a viewer of a document', () => {
  it('sees its rows, and no means to change them', async () => {
    await addPeople('Viewed')
    const { email } = await sheaf.createUser(emailOf('dan'), 'Dan')
    await rest.patch(`${doc}/access`, { body: { delta: { users: { [email]: 'viewers' } } } })
    await using other = await visit()
    await signIn(other, sheaf, email)
    await other.page.goto(`${sheaf.url}/console${doc.replace('/api', '')}/tables/Viewed`)
    const first = other.page.locator('.ag-row[row-index="0"] [col-id="Name"]')
    await first.getByText('Ada').waitFor()
    await other.page.getByText('Live', { exact: true }).waitFor()
    await first.dblclick()
    await other.page.keyboard.type('x')
    expect(await other.page.locator('.cell-field').count()).toBe(0)
    expect(await other.page.getByRole('button', { name: 'Add row' }).count()).toBe(0)
    await other.page.getByText('View only', { exact: true }).waitFor()
    const tabs = other.page.getByRole('navigation', { name: 'Document' }).getByRole('link')
    expect(await tabs.allTextContents()).toEqual(['SQL', 'Files', 'Downloads', 'Formulas', 'API'])
    expect(other.faults).toEqual([])
  })
})
