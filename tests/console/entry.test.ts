import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { Page } from 'playwright-core'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { findUrl, findViolations, signIn, useChromium, type Desk } from './chromium'

const chromium = useChromium()
let desk: Desk
let page: Page
let rest: Rest
let doc: string
let docUrl: string
beforeAll(async () => {
  desk = await chromium.openDesk()
  page = desk.page
  rest = desk.rest
  doc = await newDocument(rest, 'Entry')
  docUrl = await findUrl(desk.sheaf, rest, doc)
  await page.setViewportSize({ width: 1400, height: 700 })
})

const cell = (row: number, column: string) =>
  page.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)

async function openTable(id: string, types: Record<string, string>): Promise<string> {
  const path = `${doc}/tables/${id}`
  await addTable(rest, doc, id, types)
  await addRecords(rest, path, [{}, {}, {}])
  await page.goto(`${docUrl}/tables/${id}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByText('3 rows', { exact: true }).waitFor()
  return path
}

const stores = (path: string, rows: object[]) =>
  eventually(async () => {
    const stored = (await readRecords(rest, path)).map(({ fields }) => fields)
    expect(stored.slice(0, rows.length)).toMatchObject(rows)
  })

describe('cells of a grid', () => {
  it('take what a barcode scanner types, with Tab between cells and Enter after them', async () => {
    const path = await openTable('Scanned', { Code: 'Text', Name: 'Text', Count: 'Int' })
    await cell(0, 'Code').click()
    // Without a pause, as scanners do: the editors open after several keys.
    await page.evaluate(`(() => {
      for (const key of [...'4006381', 'Tab', ...'Nuts', 'Tab', ...'12', 'Enter'])
        document.activeElement.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
        )
    })()`)
    await stores(path, [{ Code: '4006381', Name: 'Nuts', Count: 12 }])
    await cell(1, 'Code').click()
    for (const [text, key] of ['77 Tab', 'Bolts Tab', '5 Enter'].map((one) => one.split(' '))) {
      await page.keyboard.type(text ?? '')
      await page.keyboard.press(key ?? '')
    }
    await stores(path, [{ Code: '4006381' }, { Code: '77', Name: 'Bolts', Count: 5 }])
  })

  it('leave Enter and Escape to an input method while it composes', async () => {
    const types = { Name: 'Text', Kind: 'Choice' }
    const path = await openTable('Composed', types)
    const input = await page.context().newCDPSession(page)
    const compose = (text: string) => {
      const end = text.length
      return input.send('Input.imeSetComposition', { text, selectionStart: end, selectionEnd: end })
    }
    // Keys as browsers report them then; those of the debugger do not belong to a composition.
    const press = (...keys: readonly string[]) =>
      page.evaluate(`for (const key of ${JSON.stringify(keys)}) {
        const init = { key, bubbles: true, cancelable: true, isComposing: true }
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', init))
      }`)
    for (const column of ['Name', 'Kind']) {
      await cell(0, column).click()
      await page.keyboard.press('Enter')
      const field = page.locator('.cell-field:focus')
      await field.waitFor()
      await compose('にほん')
      await press('Enter', 'Escape', 'ArrowDown')
      await eventually(async () => expect(await field.inputValue()).toBe('にほん'))
      await input.send('Input.insertText', { text: '日本' })
      await eventually(async () => expect(await field.inputValue()).toBe('日本'))
      await page.keyboard.press('Enter')
      await field.waitFor({ state: 'detached' })
    }
    await stores(path, [{ Name: '日本', Kind: '日本' }])
    await cell(0, 'Name').click()
    await page.keyboard.press('Space')
    const panel = page.getByRole('dialog')
    await panel.getByRole('button', { name: 'Edit Name' }).click()
    await page.locator('.cell-field:focus').waitFor()
    await compose('か')
    await press('Enter', 'Escape')
    await input.send('Input.insertText', { text: '火' })
    await page.keyboard.press('Enter')
    await stores(path, [{ Name: '火' }])
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await input.detach()
  })

  it('are named to input methods by the number of their row, also in groups', async () => {
    await openTable('Numbered', { Name: 'Text', Kind: 'Choice' })
    await using visit = await chromium.visit({ locale: 'ja-JP' })
    await signIn(visit, desk.sheaf, desk.email)
    const { page: ours } = visit
    await ours.goto(`${page.url()}?group=Kind`)
    await ours.locator('.ag-row[row-index="1"] [col-id="Name"]').click()
    const field = ours.locator('.composition-field:focus')
    await field.waitFor()
    expect(await field.getAttribute('aria-label')).toBe('Name, row 1')
  })

  it('take what an input method composes on a focused cell, and all other keys as they are', async () => {
    const path = await openTable('Focused', { Name: 'Text', Kind: 'Choice', Count: 'Int' })
    await using visit = await chromium.visit({ locale: 'ja-JP' })
    await signIn(visit, desk.sheaf, desk.email)
    const { page: ours } = visit
    await ours.goto(page.url())
    await ours.getByText('Live', { exact: true }).waitFor()
    // A row without data, which is drawn before, has nothing to compose on.
    await ours.locator('.ag-row:not(.row-waiting) [col-id="Name"]').first().waitFor()
    const at = (row: number, column: string) =>
      ours.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)
    const input = await ours.context().newCDPSession(ours)
    const compose = (text: string) => {
      const end = text.length
      return input.send('Input.imeSetComposition', { text, selectionStart: end, selectionEnd: end })
    }
    const field = ours.locator('.cell-field:focus')
    for (const column of ['Name', 'Kind']) {
      await at(0, column).click()
      await ours.locator('.composition-field:focus').waitFor()
      await compose('にほん')
      const composing = ours.locator('.composition-field.composing')
      await composing.waitFor()
      expect(await composing.getAttribute('aria-label')).toBe(`${column}, row 1`)
      expect(await field.count()).toBe(0)
      await input.send('Input.insertText', { text: '日本' })
      await eventually(async () => expect(await field.inputValue()).toBe('日本'))
      await ours.keyboard.press('Enter')
      await field.waitFor({ state: 'detached' })
    }
    await stores(path, [{ Name: '日本', Kind: '日本' }])
    await at(0, 'Name').click()
    await ours.locator('.composition-field:focus').waitFor()
    expect(await findViolations(ours)).toEqual([])
    await ours.keyboard.press('Control+c')
    await ours.keyboard.press('ArrowDown')
    await ours.keyboard.press('Control+v')
    await stores(path, [{}, { Name: '日本' }])
    await ours.keyboard.press('Delete')
    await stores(path, [{}, { Name: null }])
    await ours.keyboard.type('ab')
    for (const key of ['Tab', 'Tab', '1', '2', 'Enter']) await ours.keyboard.press(key)
    await stores(path, [{}, { Name: 'ab', Count: 12 }])
    await ours.keyboard.press('Control+z')
    const [untouched] = await readRecords(rest, path)
    await stores(path, [{}, { Name: 'ab', Count: untouched?.fields.Count }])
    await ours.keyboard.press('Space')
    await ours.getByRole('dialog').waitFor()
    await input.detach()
  })

  it('are edited in the font in which they are shown', async () => {
    await openTable('Fonts', { Name: 'Text', Age: 'Int', At: 'DateTime', Kind: 'Choice' })
    const fontOf = (element: string) =>
      page.evaluate(`(() => {
        const { fontFamily, fontSize } = getComputedStyle(${element})
        return fontFamily + ' ' + fontSize
      })()`)
    for (const column of ['Name', 'Age', 'At', 'Kind']) {
      await cell(0, column).click()
      const shown = await fontOf('document.activeElement')
      await page.keyboard.press('F2')
      await page.locator('.cell-field').waitFor()
      expect([column, await fontOf(`document.querySelector('.cell-field')`)]).toEqual([
        column,
        shown,
      ])
      await page.keyboard.press('Escape')
      await page.locator('.cell-field').waitFor({ state: 'detached' })
    }
  })

  it('take a date and time that is typed without separators', async () => {
    const path = await openTable('Dates', { At: 'DateTime:UTC', Day: 'Date' })
    await cell(0, 'At').click()
    await page.keyboard.press('F2')
    await page.locator('.cell-field:focus').waitFor()
    await page.keyboard.type('12312025093000PM')
    await page.keyboard.press('Enter')
    await stores(path, [{ At: Date.UTC(2025, 11, 31, 21, 30) / 1000 }])
  })

  it('are left by keyboard with Escape, which says so', async () => {
    await openTable('Left', { Name: 'Text' })
    expect(await page.getByRole('grid').getAttribute('aria-description')).toContain('Escape')
    await cell(0, 'Name').click()
    await page.keyboard.type('x')
    await page.locator('.cell-field').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.cell-field').waitFor({ state: 'detached' })
    await page.locator('.ag-cell:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.grid-foot:focus').waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(`document.activeElement.closest('.ag-root')`)).toBeNull()
    expect(await findViolations(page)).toEqual([])
  })
})

describe('the SQL page', () => {
  it('keeps its query, and shows its result as a table', async () => {
    await page.goto(`${docUrl}/sql`)
    const field = page.getByRole('textbox', { name: 'SQL' })
    await field.fill(`select 1 as a, 'x' as b`)
    await page.getByRole('button', { name: 'Run' }).click()
    const number = page.getByRole('cell', { name: '1', exact: true })
    await number.waitFor()
    const look = (element: { ownerDocument: { defaultView: never } }) => {
      const view = element.ownerDocument.defaultView as unknown as {
        getComputedStyle(of: unknown): { textAlign: string; borderTopWidth: string }
      }
      const { textAlign, borderTopWidth } = view.getComputedStyle(element)
      return [textAlign, borderTopWidth]
    }
    expect(await number.evaluate(look as never)).toEqual(['end', '1px'])
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Files', exact: true }).click()
    await page.getByRole('link', { name: 'SQL', exact: true }).click()
    expect(await field.inputValue()).toBe(`select 1 as a, 'x' as b`)
  })
})
