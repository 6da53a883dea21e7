import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Locator, Page } from 'playwright-core'
import { addRecords, addTable, newDocument } from '../support/system'
import { findViolations, patience, useChromium, type Visit } from './chromium'

const { openDesk } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let desk: Visit
let page: Page
let doc: string

beforeAll(async () => {
  ;({ sheaf, rest, desk, page } = await openDesk())
  doc = await newDocument(rest, 'Search')
  await addTable(rest, doc, 'Teams', { Title: 'Text' })
  await addRecords(rest, `${doc}/tables/Teams`, [{ Title: 'Green' }, { Title: 'Lagoon' }])
})
// What a page logs as an error would be a fault of the console.
afterEach(() => expect(desk.faults).toEqual([]))

const field = (): Locator => page.getByRole('searchbox', { name: 'Search in this table' })
const cell = (row: number, column: string): Locator =>
  page.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)

/** Makes a table of 250 people, of whom every tenth is called Ada, and shows it. */
async function openPeople(tableId: string, query = ''): Promise<string> {
  const columns = { Name: 'Text', Team: 'Ref:Teams', Born: 'Date', Tags: 'ChoiceList' }
  await addTable(rest, doc, tableId, columns)
  const people = Array.from({ length: 250 }, (_, i) => ({
    Name: `${i % 10 === 4 ? 'Ada' : 'Bob'} ${i}`,
    Team: i === 5 ? 2 : 1,
    Born: i === 7 ? '2024-03-01' : '1990-05-06',
    Tags: i === 4 ? ['L', 'chess', 'adapter'] : null,
  }))
  await addRecords(rest, `${doc}/tables/${tableId}`, people)
  await open(tableId, query)
  return `${doc}/tables/${tableId}`
}

async function open(tableId: string, query = ''): Promise<void> {
  await page.goto(`${sheaf.url}/console${doc.replace('/api', '')}/tables/${tableId}${query}`)
  await page.locator('.ag-row:not(.row-waiting) [col-id="Name"]').first().waitFor()
}

const shows = (row: number, column: string, text: string) =>
  eventually(async () => (await cell(row, column).textContent()) === text, patience)
const finds = (count: string) =>
  eventually(async () => (await page.locator('.search-count').textContent()) === count, patience)

/** The texts that are marked in the cells of the grid, in their order. */
const marked = (): Promise<string[]> =>
  page.evaluate(`[...(CSS.highlights.get('search-hit') ?? [])].map(String)`)
const markedCells = () =>
  page.locator('.cell-hit').evaluateAll((cells: never[]) =>
    cells.map((each: { closest(at: string): never; getAttribute(name: string): string }) => {
      const row = each.closest('.ag-row') as { getAttribute(name: string): string }
      return `${row.getAttribute('row-index')} ${each.getAttribute('col-id')}`
    }),
  )
const marks = (...cells: readonly string[]) =>
  eventually(async () => expect((await markedCells()).sort()).toEqual([...cells].sort()), patience)

/** The focused cell of the grid, by row and column. */
const focusedCell = () =>
  page.evaluate<string>(`(() => {
    const cell = document.querySelector('.grid-body .ag-cell-focus')
    return cell && cell.closest('.ag-row').getAttribute('row-index') + ' ' + cell.getAttribute('col-id')
  })()`)
const focuses = (at: string) =>
  eventually(async () => expect(await focusedCell()).toBe(at), patience)
/** Resolves once what follows from the shown rows is drawn. */
const drawn = () =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
const keysAreIn = (selector: string) =>
  eventually(
    () => page.evaluate<boolean>(`document.activeElement.matches('${selector}')`),
    patience,
  )

describe('a search in a table', () => {
  it('shows only the rows that contain the text, with the hits marked, and is in the address', async () => {
    await openPeople('Marked')
    await field().fill('ADA')
    await finds('25 rows')
    await shows(1, 'Name', 'Ada 14')
    await eventually(async () => expect((await markedCells()).slice(0, 2)).toContain('0 Tags'))
    await eventually(async () => {
      expect((await marked()).slice(0, 3)).toEqual(['Ada', 'ada', 'Ada'])
    }, patience)
    expect(new URL(page.url()).searchParams.get('search')).toBe('ADA')
    await page.reload()
    await finds('25 rows')
    expect(await field().inputValue()).toBe('ADA')
    await page.getByRole('button', { name: 'Clear search' }).click()
    await shows(1, 'Name', 'Bob 1')
    await marks()
    await eventually(async () => expect(await marked()).toEqual([]), patience)
    expect(new URL(page.url()).search).toBe('')
  })

  it('finds what references show, and dates in whatever form they are shown', async () => {
    await openPeople('Kinds', '?search=lagoon')
    await shows(0, 'Team', 'Lagoon')
    await marks('0 Team')
    await eventually(async () => expect(await marked()).toEqual(['Lagoon']), patience)
    await field().fill('2024-03')
    await shows(0, 'Name', 'Bob 7')
    await marks('0 Born')
    await eventually(async () => expect(await marked()).toEqual([]), patience)
    await field().fill('mar 1')
    await shows(0, 'Name', 'Bob 7')
    await eventually(async () => expect(await marked()).toEqual(['Mar 1']), patience)
    await marks('0 Born')
  })

  it('goes from hit to hit by Enter and Shift+Enter, and returns to the cell by Escape', async () => {
    await openPeople('Steps')
    await cell(2, 'Name').click()
    await page.keyboard.press('Control+f')
    await keysAreIn('.grid-search input')
    await page.keyboard.type('ada')
    await page.keyboard.press('Enter')
    await focuses('0 Name')
    await page.keyboard.press('Enter')
    await focuses('0 Tags')
    await page.keyboard.press('Enter')
    await focuses('1 Name')
    await page.keyboard.press('Shift+Enter')
    await focuses('0 Tags')
    await page.keyboard.press('Shift+Enter')
    await focuses('0 Name')
    await page.keyboard.press('Shift+Enter')
    await focuses('24 Name')
    await page.getByText('Row 25, Name').waitFor({ state: 'attached' })
    await keysAreIn('.grid-search input')
    await page.keyboard.press('Escape')
    await shows(244, 'Name', 'Ada 244')
    await focuses('244 Name')
    await keysAreIn('.ag-cell')
    expect(new URL(page.url()).search).toBe('')
  })

  it('gives the keyboard to the cell of the hit by the down arrow, where it is edited', async () => {
    const table = await openPeople('Edited')
    await page.keyboard.press('Control+f')
    await page.keyboard.type('ada 14')
    await page.keyboard.press('Enter')
    await focuses('0 Name')
    await finds('2 rows')
    await page.keyboard.press('ArrowDown')
    await keysAreIn('.ag-cell')
    await page.keyboard.type('Eve')
    await page.keyboard.press('Enter')
    await finds('1 row')
    await shows(0, 'Name', 'Ada 144')
    const query = { filter: { Name: ['Eve'] } }
    const { body } = await rest.get<{ records: { id: number }[] }>(`${table}/records`, { query })
    expect(body.records.map(({ id }) => id)).toEqual([15])
  })

  it('never moves the focus to a cell while something is typed, so that no cell is overwritten', async () => {
    const table = await openPeople('Waiting')
    await field().fill('nobody')
    await page.getByText('Nothing found for “nobody”').waitFor()
    await page.keyboard.press('ArrowDown')
    await field().fill('ada')
    await shows(1, 'Name', 'Ada 14')
    await drawn()
    await page.keyboard.type(' 14')
    await finds('2 rows')
    let answer = () => {}
    const isAnswered = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/records/list', (route) => isAnswered.then(() => route.continue()))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Filter' }).click()
    const value = page.getByRole('textbox', { name: 'Value of Name' })
    await value.waitFor()
    answer()
    await shows(1, 'Name', 'Bob 1')
    await drawn()
    await page.keyboard.type('eve')
    expect(await value.inputValue()).toBe('eve')
    await page.unroute('**/records/list')
    const { body } = await rest.get(`${table}/records`, { query: { search: 'eve' } })
    expect(body).toEqual({ records: [] })
  })

  it('searches for what has just been typed when the down arrow is pressed', async () => {
    await openPeople('Hasty')
    await field().fill('ada 14')
    await page.keyboard.press('ArrowDown')
    await finds('2 rows')
    await keysAreIn('.ag-cell')
  })

  it('follows changes by others', async () => {
    const table = await openPeople('Followed', '?search=ada')
    await finds('25 rows')
    const records = [{ id: 5, fields: { Name: 'Eve', Tags: null } }]
    await rest.patch(`${table}/records`, { body: { records } })
    await finds('24 rows')
    await shows(0, 'Name', 'Ada 14')
  })

  it('follows changes of the rows that references show', async () => {
    await openPeople('Referring', '?search=lagoon')
    await finds('1 row')
    const rename = (Title: string) =>
      rest.patch(`${doc}/tables/Teams/records`, {
        body: { records: [{ id: 2, fields: { Title } }] },
      })
    await rename('Pond')
    await page.getByText('Nothing found for “lagoon”').waitFor()
    await rename('Lagoon')
    await finds('1 row')
  })

  it('says when nothing is found, and offers to clear the search', async () => {
    await openPeople('Nothing', '?sort=-Name&filter={"Name":{"contains":"Bob"}}')
    await field().fill('ada 14')
    await page.getByText('Nothing found for “ada 14”').waitFor()
    await page.getByText('Only rows that match the filters are searched.').waitFor()
    await page.locator('.grid-message').getByRole('button', { name: 'Clear search' }).click()
    await keysAreIn('.grid-search input')
    await shows(0, 'Name', 'Bob 99')
  })

  it('looks only in the columns that are shown', async () => {
    await openPeople('Hidden', '?search=lagoon')
    await finds('1 row')
    await page.getByRole('button', { name: 'Column menu: Team' }).click()
    await page.getByRole('menuitem', { name: 'Hide column' }).click()
    await page.getByText('Nothing found for “lagoon”').waitFor()
  })

  it('works for a former moment', async () => {
    const table = await openPeople('Past')
    const { headers } = await rest.get(`${table}/records?limit=1`)
    const seq = /\.(\d+)/.exec(headers.get('etag') ?? '')?.[1]
    await rest.patch(`${table}/records`, {
      body: { records: [{ id: 5, fields: { Name: 'Eve' } }] },
    })
    await open('Past', `?search=ada%204&asOf=${seq}`)
    await finds('2 rows')
    await shows(0, 'Name', 'Ada 4')
  })

  it('begins with “/” where that is not typed into a cell', async () => {
    await openPeople('Slash')
    await page.locator('.grid-foot').focus()
    await page.keyboard.press('/')
    await keysAreIn('.grid-search input')
    expect(await field().inputValue()).toBe('')
    await cell(1, 'Name').click()
    await page.keyboard.press('/')
    await eventually(async () => (await page.locator('.cell-field').inputValue()) === '/', patience)
    await page.keyboard.press('Escape')
  })

  it('has no accessibility violations, in light, in dark, and on a narrow screen', async () => {
    await openPeople('Accessible')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await open('Accessible', '?search=ada')
      await finds('25 rows')
      expect(await findViolations(page)).toEqual([])
    }
    const before = page.viewportSize() ?? { width: 1280, height: 720 }
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await findViolations(page)).toEqual([])
    for (const name of ['Previous hit', 'Next hit', 'Clear search']) {
      const box = await page.getByRole('button', { name }).boundingBox()
      expect((box?.x ?? 400) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
    }
    await page.setViewportSize(before)
  })
})
