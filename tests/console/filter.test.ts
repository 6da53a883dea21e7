import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { Locator, Page } from 'playwright-core'
import { addRecords, addTable, newDocument } from '../support/system'
import { findUrl, findViolations, patience, useChromium, type Visit } from './chromium'

const { openDesk } = useChromium()
let rest: Rest
let desk: Visit
let page: Page
let doc: string
let address: string

beforeAll(async () => {
  const opened = await openDesk()
  ;({ rest, desk, page } = opened)
  await page.setViewportSize({ width: 1400, height: 850 })
  doc = await newDocument(rest, 'Filter')
  await addTable(rest, doc, 'People', { Name: 'Text' })
  await addRecords(rest, `${doc}/tables/People`, [{ Name: 'Ada' }, { Name: 'Bob' }])
  await addTable(rest, doc, 'Fruit', {
    Name: 'Text',
    Kind: 'Choice',
    Price: 'Numeric',
    Sold: 'Date',
    Ripe: 'Bool',
    Tags: 'ChoiceList',
    Owner: 'Ref:People',
  })
  await addRecords(rest, `${doc}/tables/Fruit`, [
    {
      Name: 'apple',
      Kind: 'pome',
      Price: 3,
      Sold: '2026-01-31',
      Ripe: true,
      Tags: ['L', 'red', 'sweet'],
      Owner: 1,
    },
    { Name: 'pear', Kind: 'pome', Price: 4, Sold: '2026-02-01', Tags: ['L', 'sweet'], Owner: 2 },
    { Name: 'cherry', Kind: 'drupe', Price: 9, Ripe: true, Tags: ['L', 'red'], Owner: 1 },
    { Name: 'lime', Kind: '', Price: 1 },
  ])
  address = await findUrl(opened.sheaf, rest, doc)
})

const form = (): Locator => page.getByRole('dialog', { name: 'Filter' })
const button = (): Locator => page.getByRole('button', { name: /^Filter( \(\d+\))?$/ })
const condition = (column: string): Locator =>
  form().getByRole('group', { name: `Condition on ${column}` })

async function open(query = ''): Promise<void> {
  await page.goto(`${address}/tables/Fruit${query}`)
  await page.locator('.ag-row:not(.row-waiting) [col-id="Name"]').first().waitFor()
}

const filterQuery = (filter: object): string =>
  `?filter=${encodeURIComponent(JSON.stringify(filter))}`

async function names(): Promise<string[]> {
  const texts = await page.locator('.ag-row [col-id="Name"]').allTextContents()
  return texts.sort()
}

const showsNames = (...wanted: string[]) =>
  eventually(async () => expect(await names()).toEqual([...wanted].sort()), patience)

const filterOf = (): unknown =>
  JSON.parse(new URL(page.url()).searchParams.get('filter') ?? 'null') as unknown
const hasFilter = (filter: unknown) =>
  eventually(() => expect(filterOf()).toEqual(filter), patience)

async function menu(column: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Column menu: ${column}` }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

describe('the filter of a grid', () => {
  it('has conditions of which all or one must hold, and which are applied while they are edited', async () => {
    await open()
    await button().click()
    await condition('Name').getByLabel('Column').selectOption({ label: 'Price' })
    await condition('Price').getByLabel('Condition', { exact: true }).selectOption({ label: '≥' })
    await form().getByLabel('Value of Price').fill('4')
    await showsNames('cherry', 'pear')
    await form().getByRole('button', { name: 'Add condition' }).click()
    await page.keyboard.type('LIM')
    await showsNames()
    await form().getByLabel('Conditions are joined by').selectOption('or')
    await showsNames('cherry', 'pear', 'lime')
    await hasFilter({
      or: [{ Price: { gte: 4 } }, { Name: { contains: 'LIM', ignoreCase: true } }],
    })
    await page.getByRole('button', { name: 'Filter (2)' }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await condition('Price').getByRole('button', { name: 'Remove condition' }).click()
    await showsNames('lime')
    await form().getByRole('button', { name: 'Clear' }).click()
    await showsNames('apple', 'cherry', 'lime', 'pear')
    await page.keyboard.press('Escape')
    await form().waitFor({ state: 'hidden' })
    expect(desk.faults).toEqual([])
  })

  it('has groups of conditions with a word of their own', async () => {
    await open()
    await menu('Price', 'Filter by this column…')
    await condition('Price').getByLabel('Condition', { exact: true }).selectOption({ label: '<' })
    await form().getByLabel('Value of Price').fill('9')
    await form().getByRole('button', { name: 'Add group' }).click()
    const group = form().getByRole('group', { name: 'Group of conditions' })
    await page.keyboard.type('app')
    await group.getByRole('button', { name: 'Add to group' }).click()
    await group.getByLabel('Value of Name').nth(1).fill('che')
    await showsNames('apple')
    await group.getByLabel('Value of Name').nth(1).fill('pea')
    await showsNames('apple', 'pear')
    const contains = (text: string) => ({ Name: { contains: text, ignoreCase: true } })
    await hasFilter({ Price: { lt: 9 }, or: [contains('app'), contains('pea')] })
    await page.getByText('(Name contains app or Name contains pea)').waitFor()
    await page.reload()
    await showsNames('apple', 'pear')
    await page.getByRole('button', { name: 'Filter (3)' }).click()
    await group.getByRole('button', { name: 'Remove group' }).click()
    await showsNames('apple', 'lime', 'pear')
  })

  it('is read from the address, and what its form cannot express stays', async () => {
    const filter = { Name: { contains: 'r' }, Sold: { gte: Date.UTC(2026, 0, 1) / 1000 } }
    await open(filterQuery(filter))
    await showsNames('pear')
    await page.getByRole('button', { name: 'Filter (2)' }).click()
    await form().getByText('{"Name":{"contains":"r"}}').waitFor()
    const date = form().getByLabel('Value of Sold')
    expect(await date.inputValue()).toBe('2026-01-01')
    // Otherwise the year takes six digits.
    expect(await date.getAttribute('max')).toBe('9999-12-31')
    await date.fill('2026-03-01')
    await hasFilter({ ...filter, Sold: { gte: Date.UTC(2026, 2, 1) / 1000 } })
    // The address comes first.
    await showsNames()
    await page.goBack()
    await hasFilter(filter)
    await eventually(async () => (await date.inputValue()) === '2026-01-01', patience)
    await form().getByRole('button', { name: 'Remove condition' }).first().click()
    await showsNames('apple', 'pear')
  })

  it('selects among the values of a column, with the number of rows that pass the other conditions', async () => {
    await open(filterQuery({ Price: { lt: 9 } }))
    await menu('Kind', 'Filter by values…')
    const values = form().getByRole('group', { name: 'Values' })
    await values.getByRole('checkbox').first().waitFor()
    const listed = () => values.getByRole('listitem').allInnerTexts()
    const words = async () => (await listed()).map((text) => text.replace(/\s+/g, ' '))
    expect(await words()).toEqual(['pome 2', '(blank) 1'])
    expect(await findViolations(page)).toEqual([])
    await values.getByRole('checkbox', { name: /blank/ }).check()
    await showsNames('lime')
    await hasFilter({ Price: { lt: 9 }, Kind: [null, ''] })
    await values.getByRole('button', { name: 'Select all' }).click()
    await showsNames('apple', 'lime', 'pear')
    await values.getByRole('button', { name: 'Select none' }).click()
    await hasFilter({ Price: { lt: 9 } })
    await values.getByLabel('Search values').fill('POM')
    await eventually(async () => (await words()).join() === 'pome 2', patience)
  })

  it('selects elements of lists, and references by the label of their row', async () => {
    await open()
    await menu('Tags', 'Filter by values…')
    await form().getByRole('checkbox', { name: /red/ }).check()
    await showsNames('apple', 'cherry')
    await page.keyboard.press('Escape')
    await menu('Owner', 'Filter by values…')
    await form().getByRole('checkbox', { name: /Ada/ }).check()
    expect(await form().getByRole('checkbox', { name: /Bob/ }).count()).toBe(0)
    await hasFilter({ Tags: { hasAny: ['red'] }, Owner: [1] })
    await page.getByRole('button', { name: 'Remove Owner is any of Ada' }).waitFor()
    await condition('Tags').getByRole('button', { name: 'Remove condition' }).click()
    await hasFilter({ Owner: [1] })
    await page.keyboard.press('Escape')
    await menu('Owner', 'Remove filter')
    await showsNames('apple', 'cherry', 'lime', 'pear')
  })

  it('says that values of rows which do not match a search are counted', async () => {
    await open('?search=apple')
    await showsNames('apple')
    await menu('Kind', 'Filter by values…')
    await form().getByRole('checkbox', { name: 'pome 2' }).waitFor()
    await form().getByText('Rows that do not match the search are counted as well.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear search' }).click()
    await menu('Kind', 'Filter by values…')
    await form().getByRole('checkbox', { name: 'pome 2' }).waitFor()
    expect(await form().getByText('do not match the search').count()).toBe(0)
  })

  it('is legible beside a search, on a narrow screen as well', async () => {
    for (const width of [390, 1100]) {
      await page.setViewportSize({ width, height: 800 })
      await open(`${filterQuery({ Kind: ['pome'], Price: { lt: 9 } })}&search=p`)
      await showsNames('apple', 'pear')
      const box = await page.getByRole('list', { name: 'Filters and sorting' }).boundingBox()
      expect(box?.width).toBeGreaterThan(150)
      expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
    }
    await page.setViewportSize({ width: 1400, height: 850 })
  })

  it('says when more elements are selected than a condition takes', async () => {
    await addTable(rest, doc, 'Many', { Name: 'Text', Tags: 'ChoiceList' })
    const records = Array.from({ length: 51 }, (_, i) => ({ Name: `n${i}`, Tags: ['L', `t${i}`] }))
    await addRecords(rest, `${doc}/tables/Many`, records)
    await page.goto(`${address}/tables/Many`)
    await menu('Tags', 'Filter by values…')
    const values = form().getByRole('group', { name: 'Values' })
    await values.getByRole('checkbox').nth(50).waitFor()
    await values.getByRole('button', { name: 'Select all' }).click()
    await form().getByText('a condition on lists takes at most 50 values').waitFor()
    await values.getByRole('checkbox').first().uncheck()
    await hasFilter({ Tags: { hasAny: expect.any(Array) as unknown } })
    await eventually(async () => (await page.locator('.ag-row').count()) > 0, patience)
    expect(desk.faults).toEqual([])
  })

  it('stays as it is written while it is only looked at', async () => {
    const filter = { Price: { eq: 9 } }
    await open(filterQuery(filter))
    const entries = () => page.evaluate<number>('history.length')
    const before = await entries()
    await button().click()
    await form().getByLabel('Value of Price').waitFor()
    await page.keyboard.press('Escape')
    await form().waitFor({ state: 'hidden' })
    await showsNames('cherry')
    expect([filterOf(), await entries()]).toEqual([filter, before])
  })

  it('does not follow to the page to which the user returns', async () => {
    await page.goto(`${address}/tables/People`)
    await page.getByRole('link', { name: 'Fruit' }).click()
    await page.locator('.ag-row:not(.row-waiting) [col-id="Kind"]').first().waitFor()
    await button().click()
    await condition('Name').getByLabel('Value of Name').focus()
    // At once, before the filter is applied.
    await page.evaluate(`document.execCommand('insertText', false, 'pear'); history.back()`)
    await page.getByText('Bob', { exact: true }).waitFor()
    await form().waitFor({ state: 'hidden' })
    expect([new URL(page.url()).pathname.split('/').at(-1), filterOf()]).toEqual(['People', null])
  })

  it('names references in groups by the label of their row as well', async () => {
    await open(filterQuery({ or: [{ Owner: [2] }, { Owner: [1], Ripe: [true] }] }))
    await showsNames('apple', 'cherry', 'pear')
    await page
      .getByText('Owner is any of Bob or (Owner is any of Ada and Ripe is checked)')
      .waitFor()
  })

  it('finds references that are not among the most frequent values', async () => {
    await addTable(rest, doc, 'Towns', { Name: 'Text' })
    const towns = Array.from({ length: 210 }, (_, i) => ({ Name: `Town ${i + 1}` }))
    await addRecords(rest, `${doc}/tables/Towns`, towns)
    await addTable(rest, doc, 'Trips', { Name: 'Text', Town: 'Ref:Towns', Via: 'RefList:Towns' })
    const trips = towns.map((_, i) => ({ Name: `n${i}`, Town: i + 1, Via: ['L', i + 1, 1] }))
    await addRecords(rest, `${doc}/tables/Trips`, trips)
    await page.goto(`${address}/tables/Trips`)
    for (const column of ['Town', 'Via']) {
      await menu(column, 'Filter by values…')
      await form().getByText('The 200 most frequent of 210 values.').waitFor()
      await form().getByLabel('Search values').fill('town 210')
      await form().getByRole('checkbox', { name: 'Town 210 1' }).check()
      await showsNames('n209')
      await page.keyboard.press('Escape')
      await menu(column, 'Remove filter')
    }
    await menu('Name', 'Filter by values…')
    await form().getByLabel('Search values').fill('n95')
    await form().getByRole('checkbox', { name: 'n95 1' }).check()
    await form().getByLabel('Search values').fill('')
    await form().getByText('The 200 most frequent of 210 values.').waitFor()
    // It is not listed, so that its number is not known.
    await form().getByRole('checkbox', { name: 'n95', exact: true }).waitFor()
    await showsNames('n95')
  })

  it('is edited with the keyboard only, and returns the focus', async () => {
    await open()
    await button().focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('pea')
    await showsNames('pear')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await showsNames('apple', 'cherry', 'lime', 'pear')
    const focused = () => page.evaluate('document.activeElement.textContent')
    expect(await focused()).toBe('Add condition')
    await page.keyboard.press('Escape')
    expect(await focused()).toBe('Filter')
  })

  it('stays open when Escape ends the composition of an input method', async () => {
    await open()
    await button().click()
    await condition('Name').getByLabel('Value of Name').focus()
    const press = (isComposing: boolean) =>
      page.evaluate(
        `document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
          { key: 'Escape', bubbles: true, cancelable: true, isComposing: ${isComposing} }))`,
      )
    await press(true)
    await page.keyboard.type('pear')
    await showsNames('pear')
    expect(await form().count()).toBe(1)
    await press(false)
    await form().waitFor({ state: 'hidden' })
  })

  it('is at the bottom of a narrow screen, in light and in dark', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      await open(filterQuery({ Price: { between: [1, 4] }, Kind: ['pome'], Ripe: [true] }))
      await button().click()
      expect(await findViolations(page)).toEqual([])
    }
    const box = await form().boundingBox()
    expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(800)
    expect(box?.width).toBe(390)
    await page.setViewportSize({ width: 1400, height: 850 })
  })
})
