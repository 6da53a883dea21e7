import type { View, ViewFields } from '@sheaf/client'
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
  doc = await newDocument(rest, 'Viewed')
  await sheaf.createUser(BOB, 'Bob')
  const delta = { delta: { users: { [BOB]: 'viewers' } } }
  requireOk(await rest.patch(`${doc}/access`, { body: delta }))
  bob = await visit()
  await signIn(bob, sheaf, BOB)
})
afterAll(() => bob?.[Symbol.asyncDispose]())

const urlOf = (path: string) => `${sheaf.url}/console${path.replace('/api', '')}`

async function show(path: string, on = page): Promise<void> {
  await on.goto(urlOf(path))
  await on.locator('.ag-row:not(.row-waiting)').first().waitFor()
  await on.getByText('Live', { exact: true }).waitFor()
}

/** Opens a new table with the columns A to C and rows 1 to 4. Returns its path. */
async function openTable(id: string): Promise<string> {
  const path = `${doc}/tables/${id}`
  await addTable(rest, doc, id, { A: 'Text', B: 'Text', C: 'Int' })
  const rows = [1, 2, 3, 4].map((n) => ({ A: `a${n}`, B: `b${n % 2}`, C: n }))
  await addRecords(rest, path, rows)
  await show(path)
  return path
}

async function addView(path: string, fields: Partial<ViewFields>): Promise<number> {
  const body = { views: [{ fields }] }
  const added = requireOk(await rest.post<{ views: { id: number }[] }>(`${path}/views`, { body }))
  return added.views[0]?.id ?? 0
}

async function changeView(path: string, id: number, fields: Partial<ViewFields>): Promise<void> {
  requireOk(await rest.patch(`${path}/views`, { body: { views: [{ id, fields }] } }))
}

const viewsOf = async (path: string) =>
  (await rest.get<{ views: View[] }>(`${path}/views`)).body.views

/** Waits until the views of a table have these fields, in order. */
async function expectViews(path: string, ...wanted: Partial<ViewFields>[]): Promise<void> {
  await eventually(async () => {
    const fields = (await viewsOf(path)).map((view) => view.fields)
    expect(fields).toEqual(wanted.map((one) => expect.objectContaining(one) as object))
  }, patience)
}

/** Waits until the grid has these headers and, in the first shown column, these cells. */
async function expectGrid(headers: string, cells: string, on = page): Promise<void> {
  await eventually(async () => {
    const shown = await on.evaluate<[string, string]>(`(() => {
      const byPlace = (elements, edge) => [...elements]
        .map((element) => [element, element.getBoundingClientRect()[edge]])
        .sort(([, one], [, other]) => one - other).map(([element]) => element)
      const heads = byPlace(document.querySelectorAll('.ag-header-cell'), 'left')
        .map((head) => head.getAttribute('col-id')).filter((id) => /^[A-D]$/.test(id))
      const cells = byPlace(document.querySelectorAll('.ag-row [col-id="' + heads[0] + '"]'), 'top')
      return [heads.join(''), cells.map((cell) => cell.textContent.trim()).join(' ')]
    })()`)
    expect(shown).toEqual([headers, cells])
  }, patience)
}

const button = (name: string, on = page) => on.getByRole('button', { name, exact: true })
/** The button of the menu while a view is chosen. */
const viewButton = (name: string, on = page) => button(`View: ${name}`, on)
const told = (text: string, on = page) =>
  on.locator('.toast').getByText(text, { exact: true }).waitFor()
const item = (name: string, on = page) => on.getByRole('menuitem', { name, exact: true })
const choice = (name: string, on = page) => on.getByRole('menuitemradio', { name, exact: true })

async function openMenu(current: string, on = page): Promise<void> {
  await viewButton(current, on).click()
  await choice('All rows', on).waitFor()
}

async function choose(current: string, next: string, on = page): Promise<void> {
  await openMenu(current, on)
  await choice(next, on).click()
  await viewButton(next, on).waitFor()
}

async function command(current: string, name: string): Promise<void> {
  await openMenu(current)
  await item(name).click()
}

async function giveName(name: string): Promise<void> {
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Selects an item in the menu of a column. */
async function inColumn(column: string, name: string, on = page): Promise<void> {
  await on.locator(`.ag-header-cell[col-id="${column}"]`).hover()
  await button(`Column menu: ${column}`, on).click()
  await item(name, on).click()
}

describe('a view', () => {
  it('is saved from a sort order, a filter and a hidden column, and stays after a reload', async () => {
    const path = await openTable('Saved')
    await show(`${path}?filter=${encodeURIComponent('{"B":["b1"]}')}`)
    await inColumn('C', 'Sort 9 → 1')
    await inColumn('B', 'Hide column')
    await expectGrid('AC', 'a3 a1')
    await command('All rows', 'Save as view…')
    expect(await findViolations(page)).toEqual([])
    await giveName('Odd ones')
    await viewButton('Odd ones').waitFor()
    await expectViews(path, {
      name: 'Odd ones',
      sort: ['-C'],
      filter: { B: ['b1'] },
      columns: [{ id: 'A' }, { id: 'B', hidden: true }, { id: 'C' }],
    })
    expect(new URL(page.url()).searchParams.get('view')).toBe(String((await viewsOf(path))[0]?.id))
    await page.reload()
    await viewButton('Odd ones').waitFor()
    await expectGrid('AC', 'a3 a1')
    // The arrangement of the user is the one from before, which has the column hidden as well.
    await choose('Odd ones', 'All rows')
    await expectGrid('AC', 'a1 a2 a3 a4')
    await button('Hidden columns (1)').click()
    await item('Show all columns').click()
    await page.keyboard.press('Escape')
    await expectGrid('ABC', 'a1 a2 a3 a4')
    await choose('All rows', 'Odd ones')
    await expectGrid('AC', 'a3 a1')
  })

  it('is chosen by a viewer, who can change how it looks only for the moment', async () => {
    const path = await openTable('Read')
    await addView(path, { name: 'Backwards', sort: ['-C'], columns: [{ id: 'C' }, { id: 'A' }] })
    const fields = await viewsOf(path)
    await show(path, bob.page)
    await choose('All rows', 'Backwards', bob.page)
    await expectGrid('CAB', '4 3 2 1', bob.page)
    await inColumn('A', 'Hide column', bob.page)
    await expectGrid('CB', '4 3 2 1', bob.page)
    await openMenu('Backwards · changed', bob.page)
    expect(await bob.page.getByRole('menuitem').count()).toBe(0)
    expect(await choice('Backwards', bob.page).getAttribute('aria-checked')).toBe('true')
    await choice('Backwards', bob.page).click()
    await viewButton('Backwards', bob.page).waitFor()
    await expectGrid('CAB', '4 3 2 1', bob.page)
    await choose('Backwards', 'All rows', bob.page)
    await expectGrid('ABC', 'a1 a2 a3 a4', bob.page)
    expect(await viewsOf(path)).toEqual(fields)
  })

  it('is changed, renamed and duplicated', async () => {
    const path = await openTable('Changed')
    await addView(path, { name: 'Mine', description: 'Kept', columns: [{ id: 'A', width: 300 }] })
    await addView(path, { name: 'Other' })
    await page.reload()
    await choose('All rows', 'Mine')
    await openMenu('Mine')
    expect(await item('Save changes').getAttribute('aria-disabled')).toBe('true')
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await inColumn('A', 'Sort Z → A')
    await inColumn('C', 'Move left')
    await expectGrid('ACB', 'a4 a3 a2 a1')
    await expectViews(path, { name: 'Mine', sort: [] }, { name: 'Other' })
    await command('Mine · changed', 'Save changes')
    await viewButton('Mine').waitFor()
    const changed = {
      description: 'Kept',
      sort: ['-A'],
      columns: [{ id: 'A', width: 300 }, { id: 'C' }, { id: 'B' }],
    }
    await expectViews(path, { name: 'Mine', ...changed }, { name: 'Other' })
    await command('Mine', 'Rename…')
    await page.getByRole('dialog').getByLabel('Name').fill('OTHER')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await giveName('Ours')
    await viewButton('Ours').waitFor()
    await command('Ours', 'Duplicate')
    await viewButton('Ours copy').waitFor()
    const copied = { name: 'Ours copy', ...changed }
    await expectViews(path, { name: 'Ours', ...changed }, { name: 'Other' }, copied)
    await expectGrid('ACB', 'a4 a3 a2 a1')
  })

  it('is deleted, and is back with its id after “Undo”', async () => {
    const path = await openTable('Deleted')
    const id = await addView(path, { name: 'Gone', filter: { B: ['b0'] } })
    await show(`${path}?view=${id}&filter=${encodeURIComponent('{"B":["b0"]}')}`)
    await expectGrid('ABC', 'a2 a4')
    await command('Gone', 'Delete')
    await told('View “Gone” deleted.')
    await viewButton('All rows').waitFor()
    await expectGrid('ABC', 'a1 a2 a3 a4')
    expect(await viewsOf(path)).toEqual([])
    expect(await page.getByText('This view no longer exists.').count()).toBe(0)
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await expectViews(path, { name: 'Gone' })
    expect((await viewsOf(path))[0]?.id).toBe(id)
    await choose('All rows', 'Gone')
    await expectGrid('ABC', 'a2 a4')
  })
})

describe('changes by others', () => {
  it('appear in the menu and the grid, unless other rows are shown', async () => {
    const path = await openTable('Followed')
    const id = await addView(path, { name: 'First', sort: ['-C'] })
    await choose('All rows', 'First')
    await expectGrid('ABC', 'a4 a3 a2 a1')
    const columns = [{ id: 'B', hidden: true }]
    await changeView(path, id, { name: 'Second', filter: { C: { gt: 2 } }, columns })
    await viewButton('Second').waitFor()
    await expectGrid('AC', 'a4 a3')
    const renamed = [{ id: 'C', fields: { colId: 'D', label: 'D' } }]
    requireOk(await rest.patch(`${path}/columns`, { body: { columns: renamed } }))
    await expectGrid('AD', 'a4 a3')
    await viewButton('Second').waitFor()
    await inColumn('A', 'Sort A → Z')
    await expectGrid('AD', 'a3 a4')
    await changeView(path, id, { name: 'Third', filter: {} })
    await viewButton('Third · changed').waitFor()
    await expectGrid('AD', 'a3 a4')
  })

  it('are followed when the view is deleted: its rows stay, with a message', async () => {
    const path = await openTable('Lost')
    const id = await addView(path, {
      name: 'Short',
      sort: ['-C'],
      columns: [{ id: 'B', hidden: true }],
    })
    await choose('All rows', 'Short')
    await expectGrid('AC', 'a4 a3 a2 a1')
    requireOk(await rest.delete(`${path}/views/${id}`))
    await told('This view no longer exists.')
    await viewButton('All rows').waitFor()
    await expectGrid('ABC', 'a4 a3 a2 a1')
    expect(new URL(page.url()).search).toBe('?sort=-C')
  })
})

it('the views of a former moment are shown there, and cannot be changed', async () => {
  const path = await openTable('Past')
  const id = await addView(path, {
    name: 'Then',
    sort: ['-C'],
    columns: [{ id: 'B', hidden: true }],
  })
  const { body } = await rest.get<{ changes: { seq: number }[] }>(`${doc}/history?limit=1`)
  requireOk(await rest.delete(`${path}/views/${id}`))
  await page.goto(urlOf(`${path}?asOf=${body.changes[0]?.seq}`))
  await choose('All rows', 'Then')
  await expectGrid('AC', 'a4 a3 a2 a1')
  await openMenu('Then')
  expect(await page.getByRole('menuitem').count()).toBe(0)
})

it('views are saved, chosen and deleted by the keyboard alone', async () => {
  const path = await openTable('Keys')
  await show(`${path}?sort=-C`)
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await viewButton('All rows').focus()
  await press('Enter', 'End', 'Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('By keys')
  await press('Enter')
  // The focus is on the button again.
  const focused = (name: string) => viewButton(name).and(page.locator(':focus')).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await focused('By keys')
  await expectViews(path, { name: 'By keys', sort: ['-C'] })
  await press('Enter', 'Home', 'Enter')
  await focused('All rows')
  await expectGrid('ABC', 'a1 a2 a3 a4')
  await press('Enter', 'ArrowDown', 'Enter')
  await focused('By keys')
  await expectGrid('ABC', 'a4 a3 a2 a1')
  await press('Enter', 'End', 'Enter')
  await told('View “By keys” deleted.')
  await expectViews(path)
})

it('the menu fits into a narrow window, in light and dark', async () => {
  const path = await openTable('Narrow')
  const name = 'A view whose name is longer than the button that shows it'
  await addView(path, { name, sort: ['-C'] })
  await choose('All rows', name)
  await inColumn('A', 'Hide column')
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 844 })
      await openMenu(`${name} · changed`)
      const box = await page.getByRole('menu').boundingBox()
      expect(box?.x).toBeGreaterThanOrEqual(0)
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
      expect(await findViolations(page)).toEqual([])
      await page.keyboard.press('Escape')
    }
})
