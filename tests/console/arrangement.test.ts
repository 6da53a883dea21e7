import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { addRecords, addTable, emailOf, newDocument, readRecords } from '../support/system'
import { requireOk } from '../support/webhooks'
import { findViolations, patience, signIn, useChromium } from './chromium'

const BOB = emailOf('bob')

const { openDesk, visit } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let doc: string
let page: Page

beforeAll(async () => {
  const opened = await openDesk()
  ;({ sheaf, rest, page } = opened)
  await opened.desk.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  doc = await newDocument(rest, 'Arranged')
  await sheaf.createUser(BOB, 'Bob')
  const delta = { delta: { users: { [BOB]: 'viewers' } } }
  requireOk(await rest.patch(`${doc}/access`, { body: delta }))
})

const head = (column: string, on = page) => on.locator(`.ag-header-cell[col-id="${column}"]`)
const cell = (row: number, column: string) =>
  page.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)
const urlOf = (path: string) => `${sheaf.url}/console${path.replace('/api', '')}`
const boxOf = async (column: string, on = page) => {
  const box = await head(column, on).boundingBox()
  return box ?? { x: 0, y: 0, width: 0, height: 0 }
}

async function show(path: string, on = page): Promise<void> {
  await on.goto(urlOf(path))
  await on.locator('.ag-row:not(.row-waiting) [col-id="A"]').first().waitFor()
}

/** Opens a new table with the columns A to D and rows of texts such as `a1`. Returns its path. */
async function openTable(id: string): Promise<string> {
  const path = `${doc}/tables/${id}`
  await addTable(rest, doc, id, { A: 'Text', B: 'Text', C: 'Text', D: 'Text' })
  const rows = [1, 2, 3].map((n) => ({ A: `a${n}`, B: `b${n}`, C: `c${n}`, D: `d${n}` }))
  await addRecords(rest, path, rows)
  await show(path)
  return path
}

/** Waits until the columns that are shown are these, from the left. */
async function expectShown(wanted: string, on = page): Promise<void> {
  await eventually(async () => {
    const shown = await on.evaluate<string>(`
      [...document.querySelectorAll('.ag-header-cell')]
        .map((header) => [header.getAttribute('col-id'), header.getBoundingClientRect().left])
        .filter(([id]) => /^[A-E]$/.test(id))
        .sort(([, left], [, other]) => left - other)
        .map(([id]) => id)
        .join('')`)
    expect(shown).toBe(wanted)
  }, patience)
}

async function expectWidth(column: string, width: number): Promise<void> {
  await eventually(async () => expect((await boxOf(column)).width).toBe(width), patience)
}

async function expectStored(wanted: object): Promise<void> {
  await eventually(async () => {
    const { body } = await rest.get<{ tables?: object }>(`${doc}/preferences`)
    expect(Object.values(body.tables ?? {})).toContainEqual(expect.objectContaining(wanted))
  }, patience)
}

/** Selects an item in the menu of a column. */
async function choose(column: string, item: string): Promise<void> {
  await head(column).hover()
  await page.getByRole('button', { name: `Column menu: ${column}` }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

describe('columns of a table', () => {
  it('are moved and made wider by dragging, and stay as arranged for one person', async () => {
    const path = await openTable('Dragged')
    const from = await boxOf('A')
    const to = await boxOf('C')
    await page.mouse.move(from.x + 40, from.y + 20)
    await page.mouse.down()
    await page.mouse.move(from.x + 80, from.y + 20, { steps: 4 })
    await page.mouse.move(to.x + to.width - 20, to.y + 20, { steps: 12 })
    await page.mouse.up()
    await expectShown('BCAD')
    // A drag is no click, which would sort.
    expect(await page.locator('.chip').count()).toBe(0)
    await expectStored({
      columns: [...'BCAD'].map((id) => expect.objectContaining({ id }) as object),
    })
    const wide = await boxOf('C')
    await head('C').locator('.ag-header-cell-resize').hover()
    await page.mouse.down()
    const edge = wide.x + wide.width
    await page.mouse.move(edge + 30, wide.y + 20, { steps: 4 })
    await page.mouse.move(edge + 60, wide.y + 20, { steps: 4 })
    await page.mouse.up()
    await eventually(async () => (await boxOf('C')).width > wide.width + 40, patience)
    const { width } = await boxOf('C')
    // The page is left before the usual moment at which changes are sent.
    await show(path)
    await expectShown('BCAD')
    await expectWidth('C', width)
    const columns = [{ id: 'C', fields: { colId: 'E', label: 'E' } }]
    requireOk(await rest.patch(`${path}/columns`, { body: { columns } }))
    await expectShown('BEAD')
    await expectWidth('E', width)
    await using bob = await visit()
    await signIn(bob, sheaf, BOB)
    await show(path, bob.page)
    await expectShown('ABED', bob.page)
    expect((await boxOf('E', bob.page)).width).toBe(wide.width)
  })

  it('are hidden and frozen by the menu of their header, and shown again', async () => {
    const path = await openTable('Hidden')
    await choose('B', 'Hide column')
    await expectShown('ACD')
    await choose('C', 'Freeze up to this column')
    const frozen = page.locator('.ag-header .ag-grid-pinned-left-cells .frozen-edge[col-id="C"]')
    await frozen.waitFor()
    await expectStored({ frozenColumns: 2 })
    await show(path)
    await expectShown('ACD')
    await page.getByRole('button', { name: 'Hidden columns (1)' }).click()
    const item = page.getByRole('menuitemcheckbox', { name: 'B' })
    expect(await item.getAttribute('aria-checked')).toBe('false')
    expect(await findViolations(page)).toEqual([])
    await item.click()
    await expectShown('ABCD')
    expect(await item.getAttribute('aria-checked')).toBe('true')
    await page.getByRole('menuitem', { name: 'Reset columns and rows' }).click()
    await eventually(async () => {
      const { body } = await rest.get<{ tables: object }>(`${doc}/preferences`)
      expect(JSON.stringify(body.tables)).not.toContain('"frozenColumns":3')
    }, patience)
    expect(await page.getByRole('button', { name: 'Columns', exact: true }).count()).toBe(1)
  })

  it('are arranged by the keyboard alone', async () => {
    await openTable('Keys')
    await cell(0, 'B').click()
    await page.keyboard.press('Control+Home')
    await head('B').focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await expectShown('BACD')
    const { width } = await boxOf('B')
    const menu = async (item: string) => {
      await page.keyboard.press('Alt+ArrowDown')
      const items = page.getByRole('menuitem')
      await items.first().waitFor()
      const labels = await items.allTextContents()
      for (let at = 0; at < labels.indexOf(item); at += 1) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
    }
    await menu('Make wider')
    await expectWidth('B', width + 40)
    await menu('Move right')
    await expectShown('ABCD')
    await menu('Hide column')
    await expectShown('ACD')
    // The focus is on the next header.
    await menu('Move right')
    await expectShown('ADC')
  })

  it('are copied and pasted in the order shown, and hidden ones keep their values', async () => {
    const path = await openTable('Pasted')
    await choose('B', 'Hide column')
    await choose('D', 'Move left')
    await expectShown('ADC')
    await cell(0, 'A').click()
    await cell(0, 'C').click({ modifiers: ['Shift'] })
    await page.keyboard.press('Control+c')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('a1\td1\tc1')
    await cell(1, 'A').click()
    await page.keyboard.press('Control+v')
    await eventually(async () => {
      const [, second] = await readRecords(rest, path)
      expect(second?.fields).toMatchObject({ A: 'a1', B: 'b2', C: 'c1', D: 'd1' })
    }, patience)
    await cell(0, 'A').click()
    await page.keyboard.press('Tab')
    await eventually(async () => {
      expect(await page.locator('.ag-cell-focus').getAttribute('col-id')).toBe('D')
    }, patience)
  })
})

describe('rows of a table', () => {
  it('are higher, with text in several lines', async () => {
    const path = await openTable('Rows')
    await addRecords(rest, path, [{ A: 'a long text of many words '.repeat(4) }])
    const heightOf = async () =>
      (await page.locator('.ag-row[row-index="0"]').boundingBox())?.height
    expect(await heightOf()).toBe(34)
    await page.getByRole('button', { name: 'Rows', exact: true }).click()
    await page.getByRole('menuitemradio', { name: 'Tall rows' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Wrap text' }).click()
    expect(await findViolations(page)).toEqual([])
    await eventually(async () => expect(await heightOf()).toBe(92), patience)
    await expectStored({ rowHeight: 'tall', wrapText: true })
    await show(path)
    expect(await heightOf()).toBe(92)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Rows', exact: true }).click()
    const expectInside = (width: number) =>
      eventually(async () => {
        const box = await page.getByRole('menu').boundingBox()
        expect(box?.x).toBeGreaterThanOrEqual(0)
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
      }, patience)
    await expectInside(390)
    expect(await findViolations(page)).toEqual([])
    // A menu that is open stays in a window that becomes smaller.
    await page.setViewportSize({ width: 360, height: 500 })
    await expectInside(360)
  })

  it('begin in the upper third of a phone, below one line of buttons that scrolls', async () => {
    const path = await openTable('Phone')
    await addRecords(rest, path, [{ A: 'first' }])
    await page.setViewportSize({ width: 390, height: 844 })
    await eventually(async () => {
      expect((await cell(0, 'A').boundingBox())?.y).toBeLessThan(844 / 3)
    }, patience)
    for (const name of [/^View/, 'Columns', 'Rows', 'Filter', 'Group']) {
      const button = page.locator('.grid-bar').getByRole('button', { name, exact: true })
      await button.focus()
      await eventually(async () => {
        const box = await button.boundingBox()
        expect(box?.x).toBeGreaterThanOrEqual(0)
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
      }, patience)
      await page.keyboard.press('Enter')
      const opened = page.locator('.grid-bar').locator('[role="menu"], [role="dialog"]')
      await eventually(async () => {
        const box = await opened.boundingBox()
        expect(box?.x).toBeGreaterThanOrEqual(0)
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844)
      }, patience)
      await page.keyboard.press('Escape')
      await opened.waitFor({ state: 'detached' })
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(await findViolations(page)).toEqual([])
  })
})
