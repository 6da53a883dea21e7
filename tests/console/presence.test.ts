import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { addRecords, addTable, emailOf, newDocument } from '../support/system'
import { requireOk } from '../support/webhooks'
import { findViolations, patience, signIn, useChromium, type Visit } from './chromium'

const BOB = emailOf('bob')

const { openDesk, visit } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let doc: string
let page: Page
let bob: Visit

beforeAll(async () => {
  ;({ sheaf, rest, page } = await openDesk())
  doc = await newDocument(rest, 'Shared')
  await addTable(rest, doc, 'Pets', { Name: 'Text', Age: 'Int' })
  await addRecords(
    rest,
    `${doc}/tables/Pets`,
    Array.from({ length: 300 }, (_, index) => ({ Name: `pet ${index + 1}`, Age: index })),
  )
  await sheaf.createUser(BOB, 'Bob Stone')
  await share('viewers')
  bob = await visit()
  await signIn(bob, sheaf, BOB)
})
afterAll(() => bob?.[Symbol.asyncDispose]())

async function share(role: string | null): Promise<void> {
  const body = { delta: { users: { [BOB]: role } } }
  requireOk(await rest.patch(`${doc}/access`, { body }))
}

async function show(on: Page, path = '/tables/Pets'): Promise<void> {
  await on.goto(`${sheaf.url}/console${doc.replace('/api', '')}${path}`)
  await on.locator('.ag-row:not(.row-waiting)').first().waitFor()
  await on.getByText('Live', { exact: true }).waitFor()
}

const cell = (on: Page, row: number, column = 'Name') =>
  on.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)
/** Row id, column and names of each cell that is marked. */
const marks = (on: Page) =>
  on.evaluate<string[][]>(`[...document.querySelectorAll('[data-people]')].map((cell) => [
    cell.closest('.ag-row').getAttribute('row-id'),
    cell.getAttribute('col-id').trim(),
    cell.dataset.people,
  ])`)
const showsMarks = (on: Page, expected: unknown[]) =>
  eventually(async () => expect(await marks(on)).toEqual(expected), patience)
const peopleOn = (on: Page) => on.getByRole('button', { name: /^Also here: / })

describe('people who have the same document open', () => {
  it('see each other above it, and which cell the others have focused', async () => {
    await show(page)
    expect(await peopleOn(page).count()).toBe(0)
    await cell(page, 1).click()
    await show(bob.page)
    await page.getByRole('button', { name: 'Also here: Bob Stone' }).waitFor()
    await peopleOn(bob.page).waitFor()
    // The place where one is already is sent when somebody comes.
    await showsMarks(bob.page, [['2', 'Name', 'you']])
    await cell(bob.page, 3, 'Age').click()
    await showsMarks(page, [['4', 'Age', 'Bob Stone']])
    await bob.page.keyboard.press('ArrowUp')
    await showsMarks(page, [['3', 'Age', 'Bob Stone']])
    for (const on of [page, bob.page]) expect(await findViolations(on)).toEqual([])
  })

  it('have no more than what can be told apart without colours, in the dark as well', async () => {
    const content = `getComputedStyle(document.querySelector('[data-people]'), '::before').content`
    expect(await page.evaluate(content)).toBe('"Bob Stone"')
    await page.emulateMedia({ colorScheme: 'dark' })
    await show(page)
    await showsMarks(page, [['3', 'Age', 'Bob Stone']])
    expect(await findViolations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
  })

  it('are listed with their places, which are links', async () => {
    await peopleOn(page).focus()
    await page.keyboard.press('Enter')
    const list = page.getByRole('dialog', { name: 'Also here' })
    await list.getByText('Bob Stone').waitFor()
    expect(await findViolations(page)).toEqual([])
    await list.getByRole('link', { name: 'Pets · row id 3 · Age' }).press('Enter')
    await page.getByRole('complementary').or(page.locator('.row-panel')).first().waitFor()
    expect(new URL(page.url()).searchParams.get('row')).toBe('3')
    // Bob sees that the row is open in a panel.
    await showsMarks(bob.page, [['3', 'number', 'you']])
    await page.goBack()
  })

  it('are marked where a cell is scrolled into view, and not elsewhere', async () => {
    await cell(bob.page, 0).click()
    await showsMarks(page, [['1', 'Name', 'Bob Stone']])
    await cell(page, 5).click()
    await page.keyboard.press('Control+End')
    await cell(page, 299).waitFor()
    await showsMarks(page, [])
    await page.keyboard.press('Control+Home')
    await showsMarks(page, [['1', 'Name', 'Bob Stone']])
  })

  it('are one person with two pages, and do not see their own', async () => {
    const second = await bob.context.newPage()
    await show(second)
    await cell(second, 7).click()
    await showsMarks(page, [
      ['1', 'Name', 'Bob Stone'],
      ['8', 'Name', 'Bob Stone'],
    ])
    await page.getByRole('button', { name: 'Also here: Bob Stone' }).waitFor()
    await second.getByRole('button', { name: 'Also here: you' }).waitFor()
    await second.close()
    await showsMarks(page, [['1', 'Name', 'Bob Stone']])
  })

  it('disappear when they leave the document, and come back with it', async () => {
    await bob.page.getByRole('link', { name: 'Sheaf' }).click()
    await eventually(async () => (await peopleOn(page).count()) === 0, patience)
    await showsMarks(page, [])
    await bob.page.goBack()
    await peopleOn(page).waitFor()
    await bob.page.locator('.ag-row:not(.row-waiting)').first().waitFor()
  })

  it('disappear when they lose access', async () => {
    await cell(bob.page, 0).click()
    await showsMarks(page, [['1', 'Name', 'Bob Stone']])
    await share(null)
    await eventually(async () => (await peopleOn(page).count()) === 0, patience)
    await showsMarks(page, [])
  })

  it('cost nothing to who is alone: no place is sent', async () => {
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/presence/')) sent.push(request.url())
    })
    for (const row of [1, 2, 3]) await cell(page, row).click()
    await cell(page, 3, 'Age').click()
    await page.getByText('300 rows').first().waitFor()
    expect(sent).toEqual([])
    await share('viewers')
    await show(bob.page)
    await showsMarks(bob.page, [['4', 'Age', 'you']])
    expect(sent.length).toBeGreaterThan(0)
  })
})
