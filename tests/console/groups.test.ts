import type { ViewFields } from '@sheaf/client'
import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Locator, Page } from 'playwright-core'
import { addRecords, addTable, newDocument } from '../support/system'
import { requireOk } from '../support/webhooks'
import { findViolations, patience, useChromium } from './chromium'

const { openDesk } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let doc: string
let page: Page

beforeAll(async () => {
  ;({ sheaf, rest, page } = await openDesk())
  doc = await newDocument(rest, 'Grouped')
})

const sales = [
  { Country: 'FR', Kind: 'tea', Price: 4 },
  { Country: 'PT', Kind: 'tea', Price: 1.5 },
  { Country: 'FR', Kind: 'milk', Price: 2 },
  { Country: 'PT', Kind: 'rice', Price: null },
  { Country: 'FR', Kind: 'tea', Price: 6 },
]

/** Opens a new table of five sales. Returns its path. */
async function openSales(id: string, query = ''): Promise<string> {
  const path = `${doc}/tables/${id}`
  await addTable(rest, doc, id, { Country: 'Choice', Kind: 'Text', Price: 'Numeric' })
  await addRecords(rest, path, sales)
  await open(path, query)
  return path
}

async function open(path: string, query = ''): Promise<void> {
  await page.goto(`${sheaf.url}/console${path.replace('/api', '')}${query}`)
  await page.locator('.ag-row:not(.row-waiting)').first().waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
}

/** The lines of the grid: headers of groups as they are read, and rows by number, kind and price. */
const lines = () =>
  page.locator('.ag-row:not(.ag-row-pinned)').evaluateAll((rows: HTMLElementLike[]) =>
    rows
      .map((row) => {
        const text = (selector: string) => row.querySelector(selector)?.textContent?.trim() ?? ''
        const header = row.querySelector('.group-line')
        const cells = ['row-number', 'Kind', 'Price'].map((name) =>
          text(name === 'row-number' ? '.row-number' : `[col-id="${name}"]`),
        )
        const line = header ? (header.textContent ?? '').trim() : cells.join(' ')
        return [Number(row.getAttribute('row-index')), line] as const
      })
      .sort(([one], [other]) => one - other)
      .map(([, line]) => line),
  )

interface HTMLElementLike {
  readonly textContent: string | null
  getAttribute(name: string): string | null
  querySelector(selector: string): HTMLElementLike | null
}

const showLines = (...wanted: string[]) =>
  eventually(async () => expect(await lines()).toEqual(wanted), patience)

const line = (row: number): Locator => page.locator(`.ag-row[row-index="${row}"]`)
const cell = (row: number, column: string): Locator => line(row).locator(`[col-id="${column}"]`)
const total = (column: string): Locator => page.locator(`.ag-row-pinned [col-id="${column}"]`)
const showTotal = (column: string, text: string) =>
  eventually(async () => expect(await total(column).textContent()).toBe(text), patience)

async function columnMenu(column: string, item: string): Promise<void> {
  await page.locator(`.ag-header-cell[col-id="${column}"] .head-menu`).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

async function summarize(column: string, summary: string): Promise<void> {
  await columnMenu(column, 'Summary…')
  await page
    .getByRole('menu', { name: `Summary: ${column}` })
    .getByText(summary, { exact: true })
    .click()
}

const BY_COUNTRY = [
  'CountryFR3 rows',
  '1 tea 4',
  '2 milk 2',
  '3 tea 6',
  'CountryPT2 rows',
  '4 tea 1.5',
  '5 rice ',
]

describe('rows in groups', () => {
  it('are chosen in a form, in the address, and by the menu of a column', async () => {
    await openSales('Chosen')
    await page.getByRole('button', { name: 'Group', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Group' })
    await form.getByRole('button', { name: 'Add column' }).click()
    await showLines(...BY_COUNTRY)
    expect(new URL(page.url()).searchParams.get('group')).toBe('Country')
    await form.getByLabel('Order of the groups by Country').selectOption('Z → A')
    await eventually(async () => (await lines())[0] === 'CountryPT2 rows', patience)
    expect(await findViolations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    // Colours change with the next frame.
    await eventually(async () => expect(await findViolations(page)).toEqual([]), patience)
    await page.emulateMedia({ colorScheme: 'light' })
    await form.getByRole('button', { name: 'Do not group by Country' }).click()
    await form.getByText('Rows are not grouped.').waitFor()
    await page.keyboard.press('Escape')
    await columnMenu('Kind', 'Group by this column')
    await showLines(
      'Kindmilk1 row',
      '1 milk 2',
      'Kindrice1 row',
      '2 rice ',
      'Kindtea3 rows',
      '3 tea 4',
      '4 tea 1.5',
      '5 tea 6',
    )
    await page.reload()
    await eventually(async () => (await lines())[0] === 'Kindmilk1 row', patience)
    await columnMenu('Kind', 'Do not group by this column')
    await showLines('1 tea 4', '2 tea 1.5', '3 milk 2', '4 rice ', '5 tea 6')
  })

  it('are collapsed and expanded by the pointer and by the keyboard, within each other', async () => {
    await openSales('Nested', '?group=Country,-Kind')
    const all = [
      'CountryFR3 rows',
      'Kindtea2 rows',
      '1 tea 4',
      '2 tea 6',
      'Kindmilk1 row',
      '3 milk 2',
      'CountryPT2 rows',
      'Kindtea1 row',
      '4 tea 1.5',
      'Kindrice1 row',
      '5 rice ',
    ]
    await showLines(...all)
    await page.getByRole('button', { name: 'Kind tea 2 rows', expanded: true }).click()
    await showLines(...all.filter((_, at) => at !== 2 && at !== 3))
    await cell(3, 'Country').click()
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowLeft')
    await showLines('CountryFR3 rows', ...all.slice(6))
    await page.keyboard.press('Enter')
    await eventually(async () => (await lines()).length === 9, patience)
    await page.keyboard.press('Shift+ArrowLeft')
    await showLines('CountryFR3 rows', 'CountryPT2 rows')
    await page.getByText('5 rows', { exact: true }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('Shift+ArrowRight')
    await showLines(...all)
  })

  it('follow changes of cells, which are edited as in other rows', async () => {
    const path = await openSales('Changed', '?group=Country')
    await showLines(...BY_COUNTRY)
    await cell(2, 'Price').click()
    await page.keyboard.type('7')
    await page.keyboard.press('Enter')
    await eventually(async () => {
      const { body } = await rest.get<{ records: { fields: { Price: number } }[] }>(
        `${path}/records`,
      )
      expect(body.records.map(({ fields }) => fields.Price)).toEqual([4, 1.5, 7, null, 6])
    }, patience)
    const records = [{ id: 1, fields: { Country: 'PT' } }]
    requireOk(await rest.patch(`${path}/records`, { body: { records } }))
    await showLines(
      'CountryFR2 rows',
      '1 milk 7',
      '2 tea 6',
      'CountryPT3 rows',
      '3 tea 4',
      '4 tea 1.5',
      '5 rice ',
    )
    await page.getByRole('button', { name: 'Country FR 2 rows' }).click()
    await addRecords(rest, path, [{ Country: 'FR', Kind: 'figs', Price: 1 }])
    await page.getByRole('button', { name: 'Country FR 3 rows' }).waitFor()
    await page.getByText('6 rows', { exact: true }).waitFor()
  })

  it('are selected, copied and filled without the headers between them', async () => {
    const path = await openSales('Selected', '?group=Country')
    await showLines(...BY_COUNTRY)
    await cell(3, 'Kind').click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 cells selected').waitFor()
    await page.keyboard.press('Control+d')
    await eventually(async () => {
      const { body } = await rest.get<{ records: { fields: { Kind: string | null } }[] }>(
        `${path}/records`,
      )
      const kinds = body.records.map(({ fields }) => fields.Kind)
      expect(kinds).toEqual(['tea', 'tea', 'milk', 'rice', 'tea'])
    }, patience)
    await cell(2, 'Kind').click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('3 cells selected').waitFor()
    await page.keyboard.press('Delete')
    await eventually(async () => {
      const { body } = await rest.get<{ records: { fields: { Kind: string | null } }[] }>(
        `${path}/records`,
      )
      const kinds = body.records.map(({ fields }) => fields.Kind)
      expect(kinds).toEqual(['tea', null, null, 'rice', null])
    }, patience)
  })

  it('include an added row, into which is entered what is typed, and not into the row at the focus', async () => {
    const path = await openSales('Added', '?group=Country')
    await showLines(...BY_COUNTRY)
    await cell(3, 'Kind').click()
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('FI')
    await page.keyboard.press('Enter')
    await eventually(async () => {
      const { body } = await rest.get<{ records: { fields: { Country: string } }[] }>(
        `${path}/records`,
      )
      const countries = body.records.map(({ fields }) => fields.Country)
      expect(countries).toEqual(['FR', 'PT', 'FR', 'PT', 'FR', 'FI'])
    }, patience)
    await page.getByRole('button', { name: 'Country FI 1 row' }).waitFor()
  })

  it('have a header that says yes or no where they are grouped by checkboxes', async () => {
    const path = `${doc}/tables/Checked`
    await addTable(rest, doc, 'Checked', { Kind: 'Text', Price: 'Numeric', Done: 'Bool' })
    await addRecords(rest, path, [
      { Kind: 'tea', Price: 1, Done: true },
      { Kind: 'milk', Price: 2, Done: false },
    ])
    await open(path, '?group=Done')
    await showLines('DoneNo1 row', '1 milk 2', 'DoneYes1 row', '2 tea 1')
  })

  it('are not grouped by a column that does not exist, and the button says so', async () => {
    await openSales('Unknown', '?group=Nope')
    await showLines('1 tea 4', '2 tea 1.5', '3 milk 2', '4 rice ', '5 tea 6')
    await page.getByRole('button', { name: 'Group', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Group' })
    await form.getByRole('button', { name: 'Do not group by Nope' }).click()
    await form.getByText('Rows are not grouped.').waitFor()
    await page.keyboard.press('Escape')
    expect(new URL(page.url()).searchParams.has('group')).toBe(false)
  })

  it('are stepped through in the panel of a row', async () => {
    await openSales('Stepped', '?group=Country')
    await showLines(...BY_COUNTRY)
    await cell(3, 'Kind').click()
    await page.keyboard.press(' ')
    const next = page.getByRole('button', { name: 'Next row' })
    await next.click()
    await eventually(async () => new URL(page.url()).searchParams.get('row') === '2', patience)
  })
})

describe('the totals of columns', () => {
  it('show the beginning of a value that is wider than its column', async () => {
    const path = await openSales('Wide')
    await addRecords(rest, path, [{ Country: 'FR', Kind: 'gold', Price: 123_456_789_012_345 }])
    await summarize('Price', 'Sum')
    const value = total('Price').locator('.summary-value')
    await eventually(async () => {
      expect(await value.getAttribute('title')).toBe('123456789012358.5')
    }, patience)
    const left = (await total('Price').boundingBox())?.x ?? Infinity
    expect((await value.boundingBox())?.x).toBeGreaterThan(left + 5)
  })

  it('are chosen by column, formatted as its numbers, and follow filters and changes', async () => {
    const path = await openSales('Totals')
    await summarize('Price', 'Sum')
    await showTotal('Price', 'Sum 13.5')
    await summarize('Kind', 'Unique')
    await showTotal('Kind', 'Unique 3')
    expect(await findViolations(page)).toEqual([])
    await total('Price').getByRole('button').click()
    await page.getByRole('menuitemradio', { name: 'Average' }).click()
    await showTotal('Price', 'Average 3.38')
    const records = [{ id: 4, fields: { Price: 1.5 } }]
    requireOk(await rest.patch(`${path}/records`, { body: { records } }))
    await showTotal('Price', 'Average 3')
    await open(path, '?filter={"Country":["FR"]}')
    await showTotal('Price', 'Average 4')
    await open(path, '?search=milk')
    await showTotal('Price', 'Average 2')
  })

  it('are reached and chosen by the keyboard', async () => {
    await openSales('Keys')
    await summarize('Price', 'Sum')
    await showTotal('Price', 'Sum 13.5')
    await cell(4, 'Price').click()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('menu', { name: 'Summary: Price' }).waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await showTotal('Price', 'Maximum 6')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.type('9')
    await page.keyboard.press('Enter')
    await showTotal('Price', 'Maximum 9')
  })

  it('are those of groups as well, and are saved in a view with these', async () => {
    const path = await openSales('Saved', '?group=Country')
    await summarize('Price', 'Sum')
    await eventually(async () => (await lines())[0] === 'CountryFR3 rowsPrice sum 12', patience)
    await page.getByRole('button', { name: 'All rows' }).click()
    await page.getByRole('menuitem', { name: 'Save as view…' }).click()
    await page.getByLabel('Name').fill('By country')
    await page.keyboard.press('Enter')
    await eventually(async () => {
      const { body } = await rest.get<{ views: { fields: ViewFields }[] }>(`${path}/views`)
      expect(body.views.map(({ fields }) => fields)).toEqual([
        expect.objectContaining({
          name: 'By country',
          groupBy: ['Country'],
          summaries: { Price: 'sum' },
        }),
      ])
    }, patience)
    await page.getByRole('button', { name: 'By country' }).click()
    await page.getByRole('menuitemradio', { name: 'All rows' }).click()
    await eventually(async () => (await lines())[0] === '1 tea 4', patience)
    await page.getByRole('button', { name: 'All rows' }).click()
    await page.getByRole('menuitemradio', { name: 'By country' }).click()
    await eventually(async () => (await lines())[0] === 'CountryFR3 rowsPrice sum 12', patience)
  })
})

it('columns that no longer exist are named, sort and group nothing, and are removed', async () => {
  await openSales('Gone', '?sort=-Lost,Price&group=Left')
  await expectRows(5)
  for (const text of ['Group by “Left”: no such column', 'Sort by “Lost”: no such column']) {
    await page.getByText(text, { exact: true }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: `Remove ${text}` }).click()
    await page.getByText(text, { exact: true }).waitFor({ state: 'detached' })
  }
  await page.waitForURL(/\?sort=Price$/)
})

const expectRows = (count: number) => page.getByText(`${count} rows`, { exact: true }).waitFor()
