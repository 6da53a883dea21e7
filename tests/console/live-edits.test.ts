import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { requireOk } from '../support/webhooks'
import { patience, useChromium } from './chromium'

const { openDesk } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let doc: string
let page: Page

beforeAll(async () => {
  const opened = await openDesk()
  ;({ sheaf, rest, page } = opened)
  await opened.desk.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  doc = await newDocument(rest, 'Moving')
})

const names = ['b', 'd', 'f', 'h', 'j']

/** Opens a new table of rows with these names, sorted by them. Returns its path. */
async function openSorted(id: string, query = '?sort=Name', rows = names): Promise<string> {
  const path = `${doc}/tables/${id}`
  await addTable(rest, doc, id, { Name: 'Text', Note: 'Text', Size: 'Int' })
  await addRecords(
    rest,
    path,
    rows.map((Name, at) => ({ Name, Note: '', Size: at })),
  )
  await page.goto(`${sheaf.url}/console${path.replace('/api', '')}${query}`)
  await page.locator('.ag-row:not(.row-waiting) [col-id="Name"]').first().waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  return path
}

const cellOf = (id: number, column: string) =>
  page.locator(`.ag-row[row-id="${id}"] [col-id="${column}"]`)
const focused = () => page.locator('.ag-cell-focus')
const placeOf = async (id: number): Promise<number> =>
  Number(await page.locator(`.ag-row[row-id="${id}"]`).first().getAttribute('row-index'))
const expectPlace = (id: number, place: number) =>
  eventually(async () => expect(await placeOf(id)).toBe(place), patience)
/** The cells that are selected, as id of the row and column. */
const selected = () =>
  page
    .locator('.cell-range')
    .evaluateAll((cells: ElementLike[]) =>
      cells
        .map((cell) => [
          cell.closest('.ag-row').getAttribute('row-id'),
          cell.getAttribute('col-id'),
        ])
        .map((place) => place.join(' ')),
    )

interface ElementLike {
  closest(selector: string): ElementLike
  getAttribute(name: string): string
}

/** What somebody else does. */
const add = (path: string, Name: string) => addRecords(rest, path, [{ Name, Note: '' }])
const remove = async (path: string, id: number) =>
  requireOk(await rest.post(`${path}/records/delete`, { body: [id] }))
const rename = async (path: string, id: number, Name: string) =>
  requireOk(await rest.patch(`${path}/records`, { body: { records: [{ id, fields: { Name } }] } }))

async function expectStored(path: string, column: string, wanted: Record<number, unknown>) {
  await eventually(async () => {
    const rows = await readRecords(rest, path)
    const stored = Object.fromEntries(rows.map(({ id, fields }) => [id, fields[column]]))
    expect(stored).toMatchObject(wanted)
  }, patience)
}

describe('a row that changes of others move', () => {
  it('keeps the focus, so that what is typed is entered in it', async () => {
    const path = await openSorted('Typed')
    await cellOf(3, 'Note').click()
    await add(path, 'a')
    await expectPlace(3, 3)
    await cellOf(3, 'Note').and(focused()).waitFor()
    await page.keyboard.type('third')
    await page.keyboard.press('Enter')
    await expectStored(path, 'Note', { 1: '', 2: '', 3: 'third', 4: '', 5: '' })
    // The row below the edited one, as in any table.
    await cellOf(4, 'Note').and(focused()).waitFor()
    await rename(path, 4, 'z')
    await expectPlace(4, 5)
    await page.keyboard.press('Delete')
    await page.keyboard.type('last')
    await page.keyboard.press('Tab')
    await expectStored(path, 'Note', { 3: 'third', 4: 'last', 5: '' })
  })

  it('keeps the focus while the keyboard is elsewhere, and does not take it', async () => {
    const path = await openSorted('Elsewhere')
    await cellOf(2, 'Note').click()
    await page.keyboard.press('Control+f')
    const field = page.getByRole('searchbox')
    await field.and(page.locator(':focus')).waitFor()
    await add(path, 'a')
    await expectPlace(2, 2)
    await cellOf(2, 'Note').and(focused()).waitFor()
    expect(await field.and(page.locator(':focus')).count()).toBe(1)
  })

  it('is filled, emptied and pasted into at its new place', async () => {
    const path = await openSorted('Commands')
    await cellOf(2, 'Size').click()
    await page.keyboard.press('Control+c')
    await cellOf(4, 'Size').click()
    await add(path, 'a')
    await expectPlace(4, 4)
    await page.keyboard.press('Control+v')
    await expectStored(path, 'Size', { 1: 0, 2: 1, 3: 2, 4: 1, 5: 4 })
    await add(path, 'aa')
    await expectPlace(4, 5)
    await page.keyboard.press('Delete')
    await expectStored(path, 'Size', { 3: 2, 4: null, 5: 4 })
    await add(path, 'aaa')
    await expectPlace(4, 6)
    await page.keyboard.press('Control+d')
    await expectStored(path, 'Size', { 3: 2, 4: 2, 5: 4 })
  })

  it('takes the selected range along, which ends when another row comes into it', async () => {
    const path = await openSorted('Range')
    await cellOf(2, 'Note').click()
    await cellOf(4, 'Note').click({ modifiers: ['Shift'] })
    await add(path, 'a')
    await expectPlace(2, 2)
    const whole = ['2 Note', '3 Note', '4 Note']
    await eventually(async () => expect((await selected()).sort()).toEqual(whole), patience)
    await add(path, 'e')
    await expectPlace(4, 5)
    await eventually(async () => expect(await selected()).toEqual([]), patience)
    await cellOf(2, 'Note').and(focused()).waitFor()
  })

  it('gets the text that was typed while it had to move', async () => {
    const path = await openSorted('Late')
    await cellOf(3, 'Note').click()
    await page.keyboard.type('th')
    await page.locator('.cell-field').waitFor()
    await add(path, 'a')
    await page.keyboard.type('ird')
    await page.keyboard.press('Enter')
    await expectStored(path, 'Note', { 2: '', 3: 'third', 4: '' })
    await expectPlace(3, 3)
    await cellOf(4, 'Note').and(focused()).waitFor()
  })
})

describe('a row that changes of others remove', () => {
  it('leaves the focus at its place, where nothing is typed until a cell is selected', async () => {
    const path = await openSorted('Gone')
    await cellOf(3, 'Note').click()
    await remove(path, 3)
    await expectPlace(4, 2)
    await cellOf(4, 'Note').and(focused()).waitFor()
    await page.keyboard.type('third')
    await page.getByText('the row that had the focus is no longer here').waitFor()
    await page.keyboard.press('Delete')
    await page.keyboard.press('Control+d')
    await page.keyboard.press('Control+v')
    expect(await page.locator('.cell-field').count()).toBe(0)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.type('fifth')
    await page.keyboard.press('Enter')
    await expectStored(path, 'Note', { 1: '', 2: '', 4: '', 5: 'fifth' })
  })

  it('gets the focus again when it returns', async () => {
    const path = await openSorted('Filtered', `?filter={"Name":["b","d","f","h","j"]}`)
    await cellOf(3, 'Note').click()
    await rename(path, 3, 'x')
    await expectPlace(4, 2)
    await rename(path, 3, 'b')
    await expectPlace(4, 3)
    await cellOf(3, 'Note').and(focused()).waitFor()
    await page.keyboard.type('back')
    await page.keyboard.press('Enter')
    await expectStored(path, 'Note', { 3: 'back', 4: '' })
  })
})

it('a row moves to another group with the focus', async () => {
  const path = await openSorted('Grouped', '?group=Name', ['a', 'a', 'b'])
  await cellOf(2, 'Note').click()
  await rename(path, 2, 'c')
  await expectPlace(2, 5)
  await page.keyboard.type('moved')
  await page.keyboard.press('Enter')
  await expectStored(path, 'Note', { 1: '', 2: 'moved', 3: '' })
})

describe('what is being typed', () => {
  /** Begins to type in the first cell of a table. */
  async function begin(text: string): Promise<void> {
    await cellOf(1, 'Note').click()
    await page.keyboard.type(text)
    await eventually(
      async () => (await page.locator('.cell-field').inputValue()) === text,
      patience,
    )
  }

  it('is written when Back removes the grid', async () => {
    await openSorted('Previous', '', ['x'])
    const path = await openSorted('Left', '')
    await page.getByRole('link', { name: 'Previous' }).first().click()
    await page.getByText('1 row', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Left' }).first().click()
    await page.getByText('5 rows', { exact: true }).waitFor()
    await begin('kept')
    await page.goBack()
    await page.getByText('1 row', { exact: true }).waitFor()
    await expectStored(path, 'Note', { 1: 'kept', 2: '' })
  })

  it('is written when Back shows the rows in another order', async () => {
    const path = await openSorted('Reordered', '')
    const sorted = page.waitForResponse((response) => response.url().includes('/records/list'))
    await page.locator('.ag-header-cell[col-id="Name"] .head').click()
    await page.waitForURL(/sort=Name/)
    await (await sorted).finished()
    await page.locator('.ag-header-cell[col-id="Name"][aria-sort="ascending"]').waitFor()
    await page.locator('.ag-row:not(.row-waiting) [col-id="Name"]').first().waitFor()
    await begin('kept')
    await page.goBack()
    await page.locator('.cell-field').waitFor({ state: 'detached' })
    await expectStored(path, 'Note', { 1: 'kept', 2: '' })
  })

  it('keeps the browser from closing the page without a question', async () => {
    const path = await openSorted('Closed', '')
    await begin('kept')
    const asked = page.waitForEvent('dialog')
    await page.evaluate('void setTimeout(() => location.reload())')
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await page.keyboard.press('Enter')
    await expectStored(path, 'Note', { 1: 'kept', 2: '' })
  })

  it('is written when somebody else renames the table', async () => {
    const path = await openSorted('Old', '')
    await begin('kept')
    const tables = [{ id: 'Old', fields: { tableId: 'New' } }]
    requireOk(await rest.patch(`${doc}/tables`, { body: { tables } }))
    await page.waitForURL(/\/tables\/New/)
    await expectStored(path.replace('Old', 'New'), 'Note', { 1: 'kept', 2: '' })
    await page.getByText('kept', { exact: true }).waitFor()
  })

  it('is kept to be copied when somebody else deletes the table', async () => {
    await openSorted('Deleted', '')
    await begin('kept')
    const { body } = await rest.get<{ tables: TableIds[] }>(`${doc}/tables`)
    const ref = body.tables.find(({ id }) => id === 'Deleted')?.fields.tableRef
    requireOk(await rest.post(`${doc}/tables/_grist_Tables/data/delete`, { body: [ref] }))
    await page.getByRole('button', { name: 'Decide…' }).click()
    const values = page.getByRole('dialog', { name: 'Unsaved values' })
    await values.getByText('kept', { exact: true }).waitFor()
    await values.getByRole('button', { name: 'Discard', exact: true }).click()
    await page.getByRole('button', { name: 'Discard', exact: true }).last().click()
    await values.waitFor({ state: 'detached' })
  })
})

interface TableIds {
  readonly id: string
  readonly fields: { readonly tableRef: number }
}
