import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { findViolations, patience, useChromium } from './chromium'

const { openDesk } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let doc: string
let page: Page

beforeAll(async () => {
  ;({ sheaf, rest, page } = await openDesk())
  doc = await newDocument(rest, 'Undo')
})

const cell = (row: number, column = 'Name') =>
  page.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)
const button = (name: string) => page.getByRole('button', { name, exact: true })
const told = (text: string) => page.locator('.toast').getByText(text, { exact: true }).waitFor()

/** Opens a new table of three people. Returns its path. */
async function openPeople(id: string): Promise<string> {
  const path = `${doc}/tables/${id}`
  await addTable(rest, doc, id, { Name: 'Text', Age: 'Int' })
  const names = ['Ada', 'Zoe', 'Bob']
  await addRecords(
    rest,
    path,
    names.map((Name, index) => ({ Name, Age: index })),
  )
  await page.goto(`${sheaf.url}/console${path.replace('/api', '')}`)
  await page.locator('.ag-row:not(.row-waiting) [col-id="Name"]').first().waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  return path
}

async function names(path: string): Promise<unknown[]> {
  return (await readRecords(rest, path)).map(({ fields }) => fields.Name)
}

/** Waits until the grid and the API show these names. */
async function expectNames(path: string, ...wanted: string[]): Promise<void> {
  const shown = () => page.locator('.ag-row [col-id="Name"]').allTextContents()
  const sorted = [...wanted].sort()
  await eventually(async () => {
    expect((await shown()).sort()).toEqual(sorted)
    expect(await names(path)).toEqual(wanted)
  }, patience)
}

async function type(row: number, text: string): Promise<void> {
  await cell(row).click()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
  await cell(row).getByText(text, { exact: true }).waitFor()
}

describe('what a user did in a table', () => {
  it('is undone and redone by keys, in order, while the writes are still being sent', async () => {
    const path = await openPeople('Keys')
    await type(0, 'Eve')
    await type(1, 'Max')
    await page.keyboard.press('Control+z')
    await told('Undone: Name, row 2.')
    await expectNames(path, 'Eve', 'Zoe', 'Bob')
    await page.keyboard.press('Control+z')
    await expectNames(path, 'Ada', 'Zoe', 'Bob')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+Shift+Z')
    await told('Redone: Name, row 1.')
    await expectNames(path, 'Eve', 'Zoe', 'Bob')
    await page.keyboard.press('Control+y')
    await told('Redone: Name, row 2.')
    await expectNames(path, 'Eve', 'Max', 'Bob')
    expect(await button('Redo').getAttribute('aria-disabled')).toBe('true')
    expect(await button('Undo').getAttribute('title')).toBe('Undo: Name, row 2 (Ctrl+Z)')
  })

  it('is rows deleted without a question, with an undo beside the message', async () => {
    const path = await openPeople('Deleted')
    for (const row of [0, 2])
      await page.locator(`.ag-row[row-index="${row}"] input[type=checkbox]`).check()
    await button('Delete 2 rows').click()
    await told('2 rows deleted.')
    await expectNames(path, 'Zoe')
    // The button is about its rows, whatever was done since.
    await type(0, 'Zora')
    await expectNames(path, 'Zora')
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await told('Undone: 2 rows deleted.')
    await expectNames(path, 'Ada', 'Zora', 'Bob')
    await page.keyboard.press('Control+z')
    await expectNames(path, 'Ada', 'Zoe', 'Bob')
    // Last, because the message with its button is shown only for a while.
    await page.locator('.ag-row[row-index="1"] input[type=checkbox]').check()
    await button('Delete row').click()
    await told('Row deleted.')
    expect(await findViolations(page)).toEqual([])
  })

  it('is rows deleted without those that somebody else has deleted since they were selected', async () => {
    const path = await openPeople('Selected')
    for (const row of [0, 1, 2])
      await page.locator(`.ag-row[row-index="${row}"] input[type=checkbox]`).check()
    await button('Delete 3 rows').waitFor()
    const [first] = await readRecords(rest, path)
    await rest.post(`${path}/data/delete`, { body: [first?.id] })
    await expectNames(path, 'Zoe', 'Bob')
    await page.getByText('2 selected').waitFor()
    await button('Delete 2 rows').click()
    await told('2 rows deleted.')
    await expectNames(path)
    await page.keyboard.press('Control+z')
    await expectNames(path, 'Zoe', 'Bob')
  })

  it('is a column added, changed and deleted, too', async () => {
    const path = await openPeople('Columns')
    const columns = async () => {
      const { body } = await rest.get<{ columns: { id: string }[] }>(`${path}/columns`)
      return body.columns.map(({ id }) => id)
    }
    await page.locator('.ag-header-cell[col-id="Age"]').hover()
    await page.getByRole('button', { name: 'Column menu: Age' }).click()
    await page.getByRole('menuitem', { name: 'Delete column…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete column' }).click()
    await told('Column “Age” deleted.')
    await eventually(async () => expect(await columns()).toEqual(['Name']), patience)
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.locator('.ag-header-cell[col-id="Age"]').waitFor()
    await eventually(async () => expect(await columns()).toEqual(['Name', 'Age']), patience)
    expect((await readRecords(rest, path)).map(({ fields }) => fields.Age)).toEqual([0, 1, 2])
    await button('Add column').click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Town')
    await page.getByRole('dialog').getByRole('button', { name: 'Add column' }).click()
    await page.locator('.ag-header-cell[col-id="Town"]').waitFor()
    await button('Undo').click()
    await told('Undone: Column “Town” added.')
    await eventually(async () => expect(await columns()).toEqual(['Name', 'Age']), patience)
  })

  it('is left alone by keys in a text that is being typed', async () => {
    const path = await openPeople('Typed')
    await type(0, 'Eve')
    await expectNames(path, 'Eve', 'Zoe', 'Bob')
    await cell(1).click()
    await page.keyboard.press('Enter')
    await page.locator('.cell-field:focus').waitFor()
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Escape')
    await cell(1).click()
    await expectNames(path, 'Eve', 'Zoe', 'Bob')
    await page.keyboard.press('Control+z')
    await expectNames(path, 'Ada', 'Zoe', 'Bob')
  })

  it('is not undone when somebody else has changed it since, and earlier changes still are', async () => {
    const path = await openPeople('Shared')
    await type(0, 'Eve')
    await type(1, 'Max')
    await expectNames(path, 'Eve', 'Max', 'Bob')
    const [, second] = await readRecords(rest, path)
    const records = [{ id: second?.id, fields: { Name: 'Theirs' } }]
    await rest.patch(`${path}/records`, { body: { records } })
    await expectNames(path, 'Eve', 'Theirs', 'Bob')
    await page.keyboard.press('Control+z')
    await page.locator('.toast.error').getByText('Name, row 2 could not be undone').waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('Control+z')
    await expectNames(path, 'Ada', 'Theirs', 'Bob')
    await button('Dismiss').first().click()
  })

  it('is undone once it is saved, and nothing else by keys that are pressed again meanwhile', async () => {
    const path = await openPeople('Unsaved')
    await type(0, 'Eve')
    await expectNames(path, 'Eve', 'Zoe', 'Bob')
    await page.route('**/batch', (route) => route.abort())
    await type(1, 'Max')
    for (let presses = 0; presses < 3; presses++) {
      await page.keyboard.press('Control+z')
      await page
        .getByText('Not saved yet: Name, row 2. It is undone once it is saved.')
        .first()
        .waitFor()
    }
    await page.unroute('**/batch')
    await told('Undone: Name, row 2.')
    await expectNames(path, 'Eve', 'Zoe', 'Bob')
    await page.keyboard.press('Control+z')
    await expectNames(path, 'Ada', 'Zoe', 'Bob')
  })

  it('is no longer undone by keys when it was undone in the history, which they redo', async () => {
    const path = await openPeople('Twice')
    await type(0, 'Eve')
    await type(1, 'Max')
    await expectNames(path, 'Eve', 'Max', 'Bob')
    await page.getByRole('link', { name: 'History', exact: true }).click()
    await page
      .getByRole('button', { name: /^Undo change/ })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await names(path)).toEqual(['Eve', 'Zoe', 'Bob'])
    await page.keyboard.press('Control+z')
    await told('Undone: Name, row 1.')
    await eventually(async () => expect(await names(path)).toEqual(['Ada', 'Zoe', 'Bob']), patience)
  })

  it('can be undone once the server is back, when it was away', async () => {
    const path = await openPeople('Away')
    await type(0, 'Eve')
    await expectNames(path, 'Eve', 'Zoe', 'Bob')
    await page.route('**/revert', (route) => route.abort())
    await page.keyboard.press('Control+z')
    await page
      .locator('.toast.error')
      .getByText('could not be undone')
      .waitFor({ timeout: patience.timeoutMs })
    await page.unroute('**/revert')
    await page.keyboard.press('Control+z')
    await expectNames(path, 'Ada', 'Zoe', 'Bob')
  })
})
