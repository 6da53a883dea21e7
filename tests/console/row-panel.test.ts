import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { addRecords, addTable, emailOf, newDocument, readRecords } from '../support/system'
import { requireOk } from '../support/webhooks'
import { findViolations, patience, signIn, useChromium, type Visit } from './chromium'

const BOB = emailOf('bob')
/** More than the pages that a table opens with. */
const ROWS = 450

const { openDesk, visit } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let doc: string
let desk: Visit
let page: Page
let tasks: string
let address: string

beforeAll(async () => {
  ;({ sheaf, rest, page, desk } = await openDesk())
  doc = await newDocument(rest, 'Panels')
  tasks = `${doc}/tables/Tasks`
  address = `${sheaf.url}/console${tasks.replace('/api', '')}`
  await addTable(rest, doc, 'People', { Name: 'Text' })
  await addRecords(rest, `${doc}/tables/People`, [{ Name: 'Ada' }, { Name: 'Bob' }])
  const types = { Title: 'Text', Size: 'Int', Done: 'Bool', Person: 'Ref:People', Notes: 'Text' }
  await addTable(rest, doc, 'Tasks', types)
  const share = { id: 'Share', fields: { type: 'Numeric', isFormula: true, formula: '1 / $Size' } }
  requireOk(await rest.post(`${tasks}/columns`, { body: { columns: [share] } }))
  const titles = Array.from({ length: ROWS }, (_, at) => `t${at + 1}`)
  await addRecords(
    rest,
    tasks,
    titles.map((Title, at) => ({ Title, Size: at, Person: 1, Notes: 'one\ntwo' })),
  )
})

const panel = (on = page) => on.getByRole('dialog')
const field = (name: string, on = page) =>
  panel(on).locator('.row-field').filter({ hasText: name }).locator('dd')
const cell = (row: number, column: string, on = page) =>
  on.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)

/** Shows the table, or an address of it. */
async function show(query = '', on = page): Promise<void> {
  await on.goto(address + query)
  await on.locator('.ag-row:not(.row-waiting)').first().waitFor()
  if (!query.includes('asOf')) await on.getByText('Live', { exact: true }).waitFor()
}

/** Opens the panel of a row with the keyboard. */
async function open(row: number): Promise<void> {
  await cell(row, 'Title').click()
  await page.keyboard.press('Space')
  await title(`t${row + 1}`)
}

/** Waits for the title of the panel. */
const title = (name: string, on = page) =>
  panel(on).getByRole('heading', { name, exact: true }).waitFor()

async function edit(name: string, text: string, key: string): Promise<void> {
  await panel()
    .getByRole('button', { name: `Edit ${name}` })
    .focus()
  await page.keyboard.type(text)
  await page.keyboard.press(key)
  await panel().locator('.row-editor').waitFor({ state: 'detached' })
}

async function stores(id: number, fields: Readonly<Record<string, unknown>>): Promise<void> {
  await eventually(async () => {
    const [row] = await readRecords(rest, tasks, { filter: JSON.stringify({ id: [id] }) })
    expect(row?.fields).toMatchObject(fields)
  }, patience)
}

const rowInAddress = () => new URL(page.url()).searchParams.get('row')
const focusedName = () => page.evaluate<string>(`document.activeElement.ariaLabel`)

describe('the panel of a row', () => {
  it('opens with Space, shows all fields, and gives the focus back to the cell', async () => {
    await show()
    await open(1)
    expect(rowInAddress()).toBe('2')
    await field('Person').getByText('Ada').waitFor()
    expect(await field('Notes').innerText()).toBe('one\ntwo')
    expect(await panel().getByText('Row id 2').count()).toBe(1)
    // However long its address is.
    const foot = `document.querySelector('.row-panel-foot')`
    expect(await page.evaluate(`${foot}.scrollWidth - ${foot}.clientWidth`)).toBe(0)
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'detached' })
    expect(rowInAddress()).toBeNull()
    await cell(1, 'Title').and(page.locator('.ag-cell-focus:focus')).waitFor()
  })

  it('opens with the button of its row, and with Enter in its number', async () => {
    await show()
    await cell(2, ' number').hover()
    await page.getByRole('button', { name: 'Open row 3' }).click()
    await title('t3')
    await cell(4, ' number').click({ position: { x: 60, y: 10 } })
    await page.keyboard.press('Enter')
    await title('t5')
    // It has the focus again.
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'detached' })
  })

  it('edits with the editors of the grid, and its changes can be undone', async () => {
    await show()
    await open(3)
    await edit('Title', 'renamed', 'Enter')
    expect(await focusedName()).toBe('Edit Title')
    await cell(3, 'Title').getByText('renamed').waitFor()
    await edit('Size', '8', 'Tab')
    await field('Done').getByRole('checkbox').check()
    await panel().getByRole('button', { name: 'Edit Person' }).click()
    await page.getByRole('option', { name: 'Bob' }).click()
    await stores(4, { Title: 'renamed', Size: 8, Done: true, Person: 2, Share: 0.125 })
    await field('Share').getByText('0.125').waitFor()
    await edit('Notes', 'dropped', 'Escape')
    await title('renamed')
    for (let change = 0; change < 4; change++) await page.keyboard.press('Control+z')
    await stores(4, { Title: 't4', Size: 3, Done: false, Person: 1, Notes: 'one\ntwo' })
    await title('t4')
  })

  it('keeps what was entered when Back closes the panel', async () => {
    await show()
    await open(9)
    await panel().getByRole('button', { name: 'Edit Title' }).focus()
    await page.keyboard.type('before Back')
    await page.goBack()
    await panel().waitFor({ state: 'detached' })
    await stores(10, { Title: 'before Back' })
    await cell(9, 'Title').getByText('before Back').waitFor()
  })

  it('has a short title, however long the first cell is, and names the row of a reference', async () => {
    await addTable(rest, doc, 'Long', { Text: 'Text' })
    await addRecords(rest, `${doc}/tables/Long`, [{ Text: 'long '.repeat(2_000) }])
    await addTable(rest, doc, 'Referring', { Who: 'Ref:People' })
    await addRecords(rest, `${doc}/tables/Referring`, [{ Who: 2 }])
    await page.goto(`${address.replace(/Tasks$/, 'Long')}?row=1`)
    await panel()
      .getByRole('heading', { name: /^long .*…$/ })
      .waitFor()
    const head = await panel().locator('.panel-head').boundingBox()
    expect(head?.height).toBeLessThan(100)
    await page.goto(`${address.replace(/Tasks$/, 'Referring')}?row=1`)
    await title('Bob')
  })

  it('shows the error of a formula, which cannot be edited', async () => {
    await show('?row=1')
    await field('Share').getByText('ZeroDivisionError').waitFor()
    expect(await panel().getByRole('button', { name: 'Edit Share' }).count()).toBe(0)
  })

  it('shows hidden columns apart from the others', async () => {
    await show()
    await cell(0, 'Title').waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Notes' }).click()
    await page.keyboard.press('Escape')
    await open(0)
    const hidden = panel().getByText('Hidden columns (1)')
    expect(await field('Notes').isVisible()).toBe(false)
    await hidden.click()
    await field('Notes').getByText('one').waitFor()
  })

  it('goes on to the rows before and after, also to those that are not loaded', async () => {
    await show('?sort=-Size')
    await cell(0, 'Title').click()
    await page.keyboard.press('Control+ArrowDown')
    await cell(ROWS - 1, 'Title')
      .and(page.locator('.ag-cell-focus'))
      .getByText('t1')
      .waitFor()
    await page.keyboard.press('Space')
    await title('t1')
    const next = panel().getByRole('button', { name: 'Next row' })
    expect(await next.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Alt+ArrowUp')
    await title('t2')
    expect(rowInAddress()).toBe('2')
    // The rows of the panel leave the grid.
    await page.locator('.grid-body').hover()
    await page.mouse.wheel(0, -1_000_000)
    await cell(0, 'Title').getByText(`t${ROWS}`).waitFor()
    await panel().getByRole('button', { name: 'Previous row' }).click()
    await title('t3')
    await cell(ROWS - 3, 'Title')
      .getByText('t3')
      .waitFor()
    await page.goBack()
    await panel().waitFor({ state: 'detached' })
  })

  it('is opened by its address, in a view without the row as well', async () => {
    await show(`?row=${ROWS}`)
    await title(`t${ROWS}`)
    const previous = panel().getByRole('button', { name: 'Previous row' })
    expect(await previous.getAttribute('aria-disabled')).toBe('true')
    await edit('Title', 'far away', 'Enter')
    await stores(ROWS, { Title: 'far away' })
    await show(`?row=3&filter=${encodeURIComponent('{"Title":["t9"]}')}`)
    await title('t3')
    const link = panel().getByRole('textbox', { name: 'link to row' })
    expect(await link.textContent()).toBe(`${page.url().split('?')[0]}?row=3`)
    for (const wrong of ['99999', '0', 'x']) {
      await show(`?row=${wrong}`)
      await panel().getByText('There is no row').waitFor()
    }
  })

  it('follows changes by others, and says when the row was deleted', async () => {
    const [id = 0] = await addRecords(rest, tasks, [{ Title: 'theirs', Size: 5 }])
    await show(`?row=${id}`)
    await title('theirs')
    const records = [{ id, fields: { Title: 'changed' } }]
    requireOk(await rest.patch(`${tasks}/records`, { body: { records } }))
    await title('changed')
    requireOk(await rest.post(`${tasks}/records/delete`, { body: [id] }))
    await panel().getByText('This row has been deleted').waitFor()
  })

  it('deletes the row, and the message has an undo', async () => {
    const count = (await readRecords(rest, tasks)).length
    await show()
    await open(6)
    await panel().getByRole('button', { name: 'Delete row' }).click()
    await panel().waitFor({ state: 'detached' })
    await cell(6, 'Title').getByText('t8').waitFor()
    await cell(6, 'Title').and(page.locator('.ag-cell-focus')).waitFor()
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await cell(6, 'Title').getByText('t7').waitFor()
    expect(await readRecords(rest, tasks)).toHaveLength(count)
  })

  it('leads to the history of the row', async () => {
    await show('?row=4')
    await panel().getByRole('link', { name: 'History of this row' }).click()
    await page.getByRole('heading', { name: 'History', exact: true }).waitFor()
    await page.getByText('changed row 4 in Tasks').first().waitFor()
  })

  it('shows a former moment as it was', async () => {
    const records = [{ id: 20, fields: { Title: 'later' } }]
    requireOk(await rest.patch(`${tasks}/records`, { body: { records } }))
    const { body } = await rest.get<{ changes: { seq: number }[] }>(`${doc}/history?limit=1`)
    const before = (body.changes[0]?.seq ?? 0) - 1
    await show(`?row=20&asOf=${before}`)
    await title('t20')
    expect(
      await panel()
        .getByRole('button', { name: /^(Edit|Delete) / })
        .count(),
    ).toBe(0)
  })

  it('fills a narrow window, also in the dark', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 390, height: 800 })
    await show('?row=2')
    await title('t2')
    expect((await panel().boundingBox())?.width).toBe(390)
    for (const name of ['Copy link to row', 'Delete row']) {
      const box = await panel().getByRole('button', { name }).boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(390)
    }
    expect(await findViolations(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.emulateMedia({ colorScheme: 'light' })
    expect(desk.faults).toEqual([])
  })

  it('leaves the search field in view beside it', async () => {
    await page.setViewportSize({ width: 1100, height: 720 })
    await show('?row=2')
    await title('t2')
    const search = await page.getByRole('searchbox').boundingBox()
    const beside = await panel().boundingBox()
    expect((search?.x ?? 0) + (search?.width ?? 0)).toBeLessThan(beside?.x ?? 0)
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  it('lets viewers see everything and change nothing', async () => {
    await sheaf.createUser(BOB, 'Bob')
    const delta = { delta: { users: { [BOB]: 'viewers' } } }
    requireOk(await rest.patch(`${doc}/access`, { body: delta }))
    await using bob = await visit()
    await signIn(bob, sheaf, BOB)
    await show('?row=2', bob.page)
    await title('t2', bob.page)
    await field('Person', bob.page).getByText('Ada').waitFor()
    expect(await field('Done', bob.page).getByRole('checkbox').isDisabled()).toBe(true)
    expect(
      await panel(bob.page)
        .getByRole('button', { name: /^(Edit|Delete) / })
        .count(),
    ).toBe(0)
    expect(await panel(bob.page).getByRole('link').count()).toBe(0)
  })
})

it('on a narrow screen the keyboard does not reach what the panel covers', async () => {
  await page.setViewportSize({ width: 390, height: 800 })
  await show()
  await open(1)
  const isCovered = () =>
    page.evaluate<boolean>(`document.activeElement.closest('.grid, .document-side') !== null`)
  for (let stop = 0; stop < 40; stop++) {
    await page.keyboard.press('Tab')
    expect(await isCovered()).toBe(false)
  }
  await panel().getByRole('button', { name: 'Next row' }).click()
  await title('t3')
  await page.keyboard.press('Escape')
  await panel().waitFor({ state: 'detached' })
  await cell(2, 'Title').and(page.locator(':focus')).waitFor()
  await page.getByRole('button', { name: 'Add column' }).click()
  await panel().getByLabel('Name', { exact: true }).fill('Draft')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await panel().waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 1280, height: 720 })
})
