import type { View, ViewFields } from '@sheaf/client'
import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Locator, Page } from 'playwright-core'
import { addRecords, emailOf, newDocument, readRecords } from '../support/system'
import { requireOk } from '../support/webhooks'
import { findViolations, patience, signIn, useChromium, type Visit } from './chromium'

const BOB = emailOf('bob')
const CHOICES = ['Todo', 'Doing', 'Done']

const { openDesk, visit } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let doc: string
let page: Page
let desk: Visit
let bob: Visit

beforeAll(async () => {
  ;({ sheaf, rest, page, desk } = await openDesk())
  await page.setViewportSize({ width: 1400, height: 800 })
  doc = await newDocument(rest, 'Boards')
  await sheaf.createUser(BOB, 'Bob')
  const delta = { delta: { users: { [BOB]: 'viewers' } } }
  requireOk(await rest.patch(`${doc}/access`, { body: delta }))
  bob = await visit()
  await signIn(bob, sheaf, BOB)
})
afterAll(() => bob?.[Symbol.asyncDispose]())

const urlOf = (path: string) => `${sheaf.url}/console${path.replace('/api', '')}`

/** Adds a table of tasks; their status is named by the first letters. Returns its path. */
async function addTasks(id: string, tasks: Readonly<Record<string, string>>): Promise<string> {
  const widgetOptions = JSON.stringify({ choices: CHOICES })
  const columns = [
    { id: 'Name', fields: { type: 'Text', label: 'Name' } },
    { id: 'Status', fields: { type: 'Choice', label: 'Status', widgetOptions } },
    { id: 'Points', fields: { type: 'Int', label: 'Points' } },
  ]
  requireOk(await rest.post(`${doc}/tables`, { body: { tables: [{ id, columns }] } }))
  const path = `${doc}/tables/${id}`
  const rows = Object.entries(tasks).map(([Name, Status], n) => ({ Name, Status, Points: n + 1 }))
  await addRecords(rest, path, rows)
  return path
}

/** Adds a table of tasks and a board, and opens it. Returns the path of the table. */
async function openBoard(
  id: string,
  tasks: Readonly<Record<string, string>>,
  fields: Partial<ViewFields> = {},
): Promise<string> {
  const path = await addTasks(id, tasks)
  const { sort = [] } = fields
  const query = sort.length > 0 ? `&sort=${sort.join(',')}` : ''
  await showBoard(path, `${await addBoard(path, fields)}${query}`)
  return path
}

async function addBoard(path: string, fields: Partial<ViewFields> = {}): Promise<number> {
  const board = { name: 'Board', type: 'board', groupBy: ['Status'], ...fields }
  const body = { views: [{ fields: board }] }
  const added = requireOk(await rest.post<{ views: { id: number }[] }>(`${path}/views`, { body }))
  return added.views[0]?.id ?? 0
}

/** Opens a board by the id of its view, which can be followed by other parameters. */
async function showBoard(path: string, view: number | string, on = page): Promise<void> {
  await on.goto(urlOf(`${path}?view=${view}`))
  await on.locator('.lane-count').first().waitFor()
  await on.getByText('Live', { exact: true }).waitFor()
}

const lane = (name: string, on = page) => on.getByRole('region', { name, exact: true })
const card = (title: string, on = page): Locator =>
  on.locator('.board-card').filter({ has: on.getByRole('button', { name: title, exact: true }) })
const opener = (title: string, on = page) =>
  card(title, on).getByRole('button', { name: title, exact: true })
const button = (name: string, on: Page | Locator = page) =>
  on.getByRole('button', { name, exact: true })

/** Waits until the lanes have these counts and titles of cards. */
async function expectLanes(wanted: Readonly<Record<string, string>>, on = page): Promise<void> {
  await eventually(async () => {
    const shown = await on.evaluate<Record<string, string>>(`Object.fromEntries(
      [...document.querySelectorAll('.board-lane')].map((lane) => [
        lane.getAttribute('aria-label'),
        [lane.querySelector('.lane-count')?.textContent,
          ...[...lane.querySelectorAll('.card-title')].map((title) => title.textContent)].join(' '),
      ]))`)
    expect(shown).toEqual(wanted)
  }, patience)
}

/** Waits until the tasks have these statuses, by name. */
async function expectStatus(
  path: string,
  wanted: Readonly<Record<string, string | null>>,
): Promise<void> {
  await eventually(async () => {
    const records = await readRecords(rest, path)
    const status = Object.fromEntries(records.map(({ fields }) => [fields.Name, fields.Status]))
    expect(status).toEqual(expect.objectContaining(wanted))
  }, patience)
}

async function drag(title: string, to: string, on = page): Promise<void> {
  const from = await card(title, on).boundingBox()
  const target = await lane(to, on).boundingBox()
  if (!from || !target) throw new Error('the card or the lane is not drawn')
  await on.mouse.move(from.x + 60, from.y + 30)
  await on.mouse.down()
  await on.mouse.move(from.x + 80, from.y + 40, { steps: 4 })
  await on.mouse.move(target.x + 90, target.y + 200, { steps: 8 })
  await on.mouse.up()
}

describe('a board', () => {
  it('is created with a lane for each choice, and says how to get lanes without one', async () => {
    const path = await addTasks('Created', { a: 'Todo', b: 'Doing', c: 'Other', d: '' })
    await page.goto(urlOf(path))
    await page.locator('.ag-row').first().waitFor()
    await button('View: All rows').click()
    await page.getByRole('menuitem', { name: 'New board view…' }).click()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('dialog').getByLabel('Name').fill('Work')
    await page.keyboard.press('Enter')
    await button('View: Work').waitFor()
    const lanes = { 'No Status': '1 d', Todo: '1 a', Doing: '1 b', Done: '0', Other: '1 c' }
    await expectLanes(lanes)
    const { views } = requireOk(await rest.get<{ views: View[] }>(`${path}/views`))
    expect(views[0]?.fields).toMatchObject({ name: 'Work', type: 'board', groupBy: ['Status'] })
    await page.reload()
    await expectLanes(lanes)
    // Lanes by a number, and without a column that makes any.
    await button('Lanes: Status').click()
    await page.getByRole('menuitemradio', { name: 'Points' }).click()
    await expectLanes({ 'No Points': '0', 1: '1 a', 2: '1 b', 3: '1 c', 4: '1 d' })
    const id = views[0]?.id ?? 0
    const body = { views: [{ id, fields: { groupBy: [] } }] }
    requireOk(await rest.patch(`${path}/views`, { body }))
    await page.getByText('This board has no lanes yet').waitFor()
    expect(await findViolations(page)).toEqual([])
    await button('Status').click()
    await expectLanes(lanes)
    await button('View: Work').click()
    await page.getByRole('menuitemradio', { name: 'All rows' }).click()
    await page.locator('.ag-row').first().waitFor()
  })

  it('moves a card that is dragged to another lane, and back by Ctrl+Z', async () => {
    const path = await openBoard('Dragged', { a: 'Todo', b: 'Todo', c: 'Done' })
    await expectLanes({ 'No Status': '0', Todo: '2 a b', Doing: '0', Done: '1 c' })
    await drag('a', 'Doing')
    await expectLanes({ 'No Status': '0', Todo: '1 b', Doing: '1 a', Done: '1 c' })
    await expectStatus(path, { a: 'Doing' })
    await page.keyboard.press('Control+z')
    await expectStatus(path, { a: 'Todo' })
    await expectLanes({ 'No Status': '0', Todo: '2 a b', Doing: '0', Done: '1 c' })
    await page.keyboard.press('Control+y')
    await expectLanes({ 'No Status': '0', Todo: '1 b', Doing: '1 a', Done: '1 c' })
    await drag('b', 'No Status')
    await expectLanes({ 'No Status': '1 b', Todo: '0', Doing: '1 a', Done: '1 c' })
    await expectStatus(path, { b: null })
  })

  it('says how many values and rows it does not show, beyond 100 lanes', async () => {
    const tasks = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`task ${n}`, 'Todo']))
    const path = await addTasks('Wide', tasks)
    await showBoard(path, await addBoard(path, { groupBy: ['Name'] }))
    await page.getByText('21 values have no lane, so 21 rows are not shown.').waitFor()
    expect(await page.locator('.board-lane').count()).toBe(100)
  })

  it('is used by the keyboard: cards are reached, moved and opened', async () => {
    const path = await openBoard('Keys', { a: 'Todo', b: 'Todo', c: 'Done' })
    const expectFocus = (title: string) =>
      eventually(async () => {
        const focused = await page.evaluate('document.activeElement.getAttribute("aria-label")')
        expect(focused).toBe(title)
      }, patience)
    await expectLanes({ 'No Status': '0', Todo: '2 a b', Doing: '0', Done: '1 c' })
    await opener('a').focus()
    await page.keyboard.press('ArrowDown')
    await expectFocus('b')
    await page.keyboard.press('ArrowRight')
    await expectFocus('c')
    await page.keyboard.press('ArrowLeft')
    await expectFocus('b')
    await page.keyboard.press('Alt+ArrowRight')
    await expectLanes({ 'No Status': '0', Todo: '1 a', Doing: '1 b', Done: '1 c' })
    await expectFocus('b')
    await page.keyboard.press('Alt+ArrowRight')
    await expectStatus(path, { b: 'Done' })
    await expectLanes({ 'No Status': '0', Todo: '1 a', Doing: '0', Done: '2 b c' })
    await expectFocus('b')
    await page.keyboard.press('Tab')
    await expectFocus('Move b')
    await page.keyboard.press('Enter')
    await page.getByRole('menu', { name: 'Move b' }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await expectStatus(path, { b: null })
    await expectLanes({ 'No Status': '1 b', Todo: '1 a', Doing: '0', Done: '1 c' })
    await expectFocus('b')
    await page.keyboard.press(' ')
    await page.getByRole('dialog', { name: 'b' }).waitFor()
    await page.keyboard.press('Escape')
    await expectFocus('b')
  })

  it('opens cards in a panel, whose changes it follows', async () => {
    const path = await openBoard('Opened', { a: 'Todo', b: 'Todo', c: 'Done' })
    await card('b').click()
    const panel = page.getByRole('dialog', { name: 'b' })
    await panel.waitFor()
    await button('Previous row', panel).click()
    const next = page.getByRole('dialog', { name: 'a' })
    await button('Edit Status', next).click()
    await page.getByRole('option', { name: 'Done' }).click()
    await expectStatus(path, { a: 'Done' })
    await expectLanes({ 'No Status': '0', Todo: '1 b', Doing: '0', Done: '2 a c' })
    await button('Delete row', next).click()
    await expectLanes({ 'No Status': '0', Todo: '1 b', Doing: '0', Done: '1 c' })
  })

  it('adds cards with the value of the lane', async () => {
    const path = await openBoard('Added', {})
    await expectLanes({ 'No Status': '0', Todo: '0', Doing: '0', Done: '0' })
    await button('Add card: Doing').click()
    const panel = page.getByRole('dialog', { name: 'Row' })
    await button('Edit Name', panel).waitFor()
    await eventually(async () => {
      const focused = await page.evaluate('document.activeElement.getAttribute("aria-label")')
      expect(focused).toBe('Edit Name')
    }, patience)
    await page.keyboard.type('New')
    await page.keyboard.press('Enter')
    await expectStatus(path, { New: 'Doing' })
    await expectLanes({ 'No Status': '0', Todo: '0', Doing: '1 New', Done: '0' })
    await page.keyboard.press('Escape')
    await button('Add card: No Status').click()
    await expectLanes({ 'No Status': '1 Row 2', Todo: '0', Doing: '1 New', Done: '0' })
  })

  it('shows a card that was added to a long lane', async () => {
    const tasks = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`t${n + 1}`, 'Todo']))
    await openBoard('Long', tasks)
    await card('t1').waitFor()
    await button('Add card: Todo').click()
    await page.getByRole('dialog', { name: 'Row' }).waitFor()
    await card('Row 501').waitFor()
    await eventually(async () => {
      const [added, lanes] = await Promise.all([
        card('Row 501').boundingBox(),
        lane('Todo').locator('.lane-cards').boundingBox(),
      ])
      if (!added || !lanes) return false
      return added.y >= lanes.y && added.y + added.height <= lanes.y + lanes.height + 1
    }, patience)
  })
})

describe('the cards of a board', () => {
  it('follow changes by others, also to values without a lane', async () => {
    const path = await openBoard('Followed', { a: 'Todo', b: 'Todo', c: 'Done' })
    await expectLanes({ 'No Status': '0', Todo: '2 a b', Doing: '0', Done: '1 c' })
    const change = async (id: number, fields: object) =>
      requireOk(await rest.patch(`${path}/records`, { body: { records: [{ id, fields }] } }))
    await change(1, { Status: 'Doing', Name: 'A' })
    await expectLanes({ 'No Status': '0', Todo: '1 b', Doing: '1 A', Done: '1 c' })
    await change(3, { Status: 'Later' })
    await expectLanes({ 'No Status': '0', Todo: '1 b', Doing: '1 A', Done: '0', Later: '1 c' })
    await addRecords(rest, path, [{ Name: 'd', Status: 'Todo' }])
    await expectLanes({ 'No Status': '0', Todo: '2 b d', Doing: '1 A', Done: '0', Later: '1 c' })
  })

  it('are sorted, filtered and searched, with the columns of the view', async () => {
    const tasks = { a1: 'Todo', a2: 'Todo', b1: 'Todo', b2: 'Done' }
    const columns = [{ id: 'Name' }, { id: 'Points' }, { id: 'Status', hidden: true }]
    const path = await openBoard('Sorted', tasks, { sort: ['-Points'], columns })
    await expectLanes({ 'No Status': '0', Todo: '3 b1 a2 a1', Doing: '0', Done: '1 b2' })
    expect(await card('b1').locator('dl').innerText()).toMatch(/^Points\s+3$/)
    await page.getByRole('searchbox').fill('a')
    await expectLanes({ 'No Status': '0', Todo: '2 a2 a1', Doing: '0', Done: '0' })
    await eventually(async () => {
      expect(await page.locator('.board-card .cell-hit').allInnerTexts()).toEqual(['a2', 'a1'])
      expect(await page.evaluate(`[...CSS.highlights.get('search-hit')].map(String)`)).toEqual([
        'a',
        'a',
      ])
    }, patience)
    await page.getByRole('searchbox').fill('nothing')
    await page.getByText('Nothing found for “nothing”').waitFor()
    await button('Clear search', page.locator('.grid-message')).click()
    await expectLanes({ 'No Status': '0', Todo: '3 b1 a2 a1', Doing: '0', Done: '1 b2' })
    const query = new URL(page.url()).searchParams
    query.set('filter', '{"Points":{"gte":3}}')
    await page.goto(urlOf(`${path}?${query.toString()}`))
    await expectLanes({ 'No Status': '0', Todo: '1 b1', Doing: '0', Done: '1 b2' })
    await drag('b1', 'Doing')
    await expectLanes({ 'No Status': '0', Todo: '0', Doing: '1 b1', Done: '1 b2' })
  })

  it('are drawn only where they are visible, however many there are', async () => {
    const tasks = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`t${n + 1}`, 'Todo']))
    await openBoard('Many', tasks)
    await card('t1').waitFor()
    expect(await lane('Todo').locator('.lane-count').innerText()).toBe('2,000')
    await opener('t1').focus()
    await page.keyboard.press('End')
    await eventually(async () => {
      const focused = await page.evaluate('document.activeElement.getAttribute("aria-label")')
      expect(focused).toBe('t2000')
    }, patience)
    expect(await page.locator('.board-card').count()).toBeLessThan(40)
    await page.keyboard.press('Alt+ArrowRight')
    await expectLanes({
      'No Status': '0',
      Todo: expect.stringMatching(/^1,999 /) as string,
      Doing: '1 t2000',
      Done: '0',
    })
  })

  it('have the names of others who have them open or focused', async () => {
    const path = await addTasks('Met', { a: 'Todo', b: 'Done' })
    const view = await addBoard(path)
    await showBoard(path, view)
    await showBoard(path, view, bob.page)
    const named = (on: Page) =>
      on.evaluate(`[...document.querySelectorAll('[data-people]')].map((card) => [
        card.dataset.rowId, card.dataset.people])`)
    await opener('b', bob.page).focus()
    await eventually(async () => expect(await named(page)).toEqual([['2', 'Bob']]), patience)
    await opener('a').click()
    await eventually(async () => expect(await named(bob.page)).toEqual([['1', 'you']]), patience)
    for (const on of [page, bob.page]) expect(await findViolations(on)).toEqual([])
    await bob.page.goto(`${sheaf.url}/console`)
    await eventually(async () => expect(await named(page)).toEqual([]), patience)
  })

  it('are not moved by viewers', async () => {
    const path = await addTasks('Read', { a: 'Todo', b: 'Done' })
    await showBoard(path, await addBoard(path), bob.page)
    const lanes = { 'No Status': '0', Todo: '1 a', Doing: '0', Done: '1 b' }
    await expectLanes(lanes, bob.page)
    expect(await bob.page.getByRole('button', { name: /^(Add card|Move|Lanes)/ }).count()).toBe(0)
    await opener('a', bob.page).focus()
    await bob.page.keyboard.press('Alt+ArrowRight')
    await drag('a', 'Doing', bob.page)
    await expectLanes(lanes, bob.page)
    await opener('a', bob.page).press('Enter')
    await bob.page.getByRole('dialog', { name: 'a' }).waitFor()
    await expectStatus(path, { a: 'Todo' })
    expect(bob.faults).toEqual([])
  })
})

it('a board is accessible in light and dark, and its lanes scroll sideways in a narrow window', async () => {
  await openBoard('Narrow', { a: 'Todo', b: 'Doing', c: 'Done' })
  await expectLanes({ 'No Status': '0', Todo: '1 a', Doing: '1 b', Done: '1 c' })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findViolations(page)).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await lane('Done').scrollIntoViewIfNeeded()
  await opener('c').focus()
  await eventually(async () => {
    const box = await lane('Done').boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
  }, patience)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await findViolations(page)).toEqual([])
  expect(desk.faults).toEqual([])
})
