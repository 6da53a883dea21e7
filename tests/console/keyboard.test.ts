import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { findUrl, findViolations, patience, useChromium } from './chromium'

/** More than any page has places to stop at. */
const MOST_STOPS = 100

const { openDesk } = useChromium()
let page: Page
let rest: Rest
let sheaf: UsableSheaf
let doc: string
beforeAll(async () => {
  const desk = await openDesk()
  page = desk.page
  rest = desk.rest
  sheaf = desk.sheaf
  doc = await newDocument(rest, 'Keys')
  await page.goto(await findUrl(sheaf, rest, doc))
  await page.getByRole('button', { name: 'Add table' }).waitFor()
})

/** The name of the element that has the focus. */
const focused = (): Promise<string> =>
  page.evaluate(`(() => {
    const { activeElement: at } = document
    return at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent
  })()`)

/** Presses Tab until an element of this name has the focus. */
async function tabTo(name: string): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if ((await focused()).trim() === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no way to “${name}”`)
}

/** Types into the editor that is open, or that the first key opens. */
async function enter(text: string, key: string): Promise<void> {
  await page.keyboard.type(text)
  const field = page.locator('.cell-field')
  await eventually(async () => (await field.inputValue()) === text, patience)
  await page.keyboard.press(key)
  await field.waitFor({ state: 'detached' })
}

const shownNames = () =>
  page.locator('.ag-row').evaluateAll((rows: never[]) =>
    rows
      .map((row: { getAttribute(name: string): string; querySelector(at: string): never }) => ({
        at: Number(row.getAttribute('row-index')),
        name: (row.querySelector('[col-id="Name"]') as { textContent: string } | null)?.textContent,
      }))
      .sort((one, other) => one.at - other.at)
      .map(({ name }) => name),
  )

describe('without a pointer', () => {
  it('a table is created, 20 cells are entered, and rows are sorted', async () => {
    await tabTo('Add table')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('Crew')
    await tabTo('Label of column 1')
    await page.keyboard.type('Name')
    await tabTo('Add column')
    await page.keyboard.press('Enter')
    await tabTo('Label of column 2')
    await page.keyboard.type('Age')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Integer')
    await tabTo('Add table')
    await page.keyboard.press('Enter')
    await page.getByText('This table has no rows yet').waitFor()
    await tabTo('Add row')
    await page.keyboard.press('Enter')
    for (let row = 0; row < 10; row++) {
      await page.locator('.cell-field:focus').waitFor()
      await enter(`n${row}`, 'Tab')
      await enter(String(30 - row), 'Enter')
      if (row < 9) await page.keyboard.press('Shift+Enter')
    }
    const path = `${doc}/tables/Crew`
    const wanted = Array.from({ length: 10 }, (_, row) => ({ Name: `n${row}`, Age: 30 - row }))
    await eventually(async () => {
      const stored = (await readRecords(rest, path)).map(({ fields }) => fields)
      expect(stored).toMatchObject(wanted)
    }, patience)
    // From the last age to its header, by which the rows are sorted.
    await page.keyboard.press('Control+ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    const descending = wanted.map(({ Name }) => Name).reverse()
    await eventually(async () => expect(await shownNames()).toEqual(descending), patience)
    expect(await findViolations(page)).toEqual([])
  })

  it('what was entered is undone, from the header of the grid as well', async () => {
    const path = `${doc}/tables/Crew`
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await eventually(async () => {
      const stored = (await readRecords(rest, path)).map(({ fields }) => fields)
      expect(stored.at(-1)).toMatchObject({ Name: '', Age: 0 })
    }, patience)
    await page.keyboard.press('Control+z')
    await eventually(async () => {
      const stored = (await readRecords(rest, path)).map(({ fields }) => fields)
      expect(stored).toHaveLength(9)
      expect(stored.at(-1)).toMatchObject({ Name: 'n8', Age: 22 })
    }, patience)
  })

  it('what is typed while a row is being added, on a slow machine, is entered in it', async () => {
    const path = `${doc}/tables/Slow`
    await addTable(rest, doc, 'Slow', { Name: 'Text', Age: 'Int' })
    await addRecords(rest, path, [{ Name: 'first', Age: 1 }])
    await page.goto(`${await findUrl(sheaf, rest, doc)}/tables/Slow`)
    await page.getByText('first', { exact: true }).click()
    const slowing = await page.context().newCDPSession(page)
    await slowing.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    for (let row = 2; row <= 4; row++) {
      await page.keyboard.press('Shift+Enter')
      await page.keyboard.type(`n${row}`)
      await page.keyboard.press('Tab')
      await page.keyboard.type(`${row}`)
      await page.keyboard.press('Enter')
      await eventually(async () => {
        const stored = (await readRecords(rest, path)).map(({ fields }) => fields)
        expect(stored).toHaveLength(row)
        expect(stored.at(-1)).toMatchObject({ Name: `n${row}`, Age: row })
        expect(stored[0]).toMatchObject({ Name: 'first', Age: 1 })
      }, patience)
      await page.locator('.cell-field').waitFor({ state: 'detached' })
    }
    await slowing.detach()
  })

  it('what is typed into a field of a dialog while a row is being added is entered there', async () => {
    const path = `${doc}/tables/Late`
    await addTable(rest, doc, 'Late', { Name: 'Text' })
    await addRecords(rest, path, [{ Name: 'only' }])
    await page.goto(`${await findUrl(sheaf, rest, doc)}/tables/Late`)
    await page.getByText('only', { exact: true }).click()
    let answer: () => void = () => {}
    const isDue = new Promise<void>((resolve) => (answer = resolve))
    await page.route(/\/batch$/, async (route) => {
      await isDue
      await route.continue()
    })
    await page.keyboard.press('Shift+Enter')
    await page.getByRole('button', { name: 'Add table' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.keyboard.type('Next')
    const name = dialog.getByRole('textbox').first()
    await eventually(async () => expect(await name.inputValue()).toBe('Next'), patience)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    answer()
    // Nothing of it is entered in the row.
    const field = page.locator('.cell-field:focus')
    await field.waitFor()
    expect(await field.inputValue()).toBe('')
  })
})
