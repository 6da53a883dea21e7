import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Locator, Page } from 'playwright-core'
import { formOf } from '../support/attachments'
import { addRecords, addTable, emailOf, newDocument, readRecords } from '../support/system'
import { findViolations, patience, signIn, useChromium } from './chromium'

const MANY = 2_000

const { openDesk, visit } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let doc: string
let page: Page

beforeAll(async () => {
  const opened = await openDesk()
  ;({ sheaf, rest, page } = opened)
  await opened.desk.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  doc = await newDocument(rest, 'Ranges')
})

const cell = (row: number, column: string) =>
  page.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)
const selected = () => page.locator('.cell-range')
const foot = (text: string) =>
  page.locator('.range-foot').getByText(text, { exact: true }).waitFor()
const nothing = () =>
  eventually(async () => (await page.locator('.range-foot').textContent()) === '', patience)
const clipboard = (): Promise<string> => page.evaluate('navigator.clipboard.readText()')

/** Opens a new table with names and numbers from 1. Returns its path. */
async function openTable(id: string, count = 4): Promise<string> {
  const path = `${doc}/tables/${id}`
  await addTable(rest, doc, id, { Name: 'Text', Size: 'Numeric' })
  const formula = { isFormula: true, formula: '$Size * 2', type: 'Numeric', label: 'Sum' }
  await rest.post(`${path}/columns`, { body: { columns: [{ id: 'Sum', fields: formula }] } })
  const rows = Array.from({ length: count }, (_, at) => ({ Name: `n${at + 1}`, Size: at + 1 }))
  await addRecords(rest, path, rows)
  await page.goto(`${sheaf.url}/console${path.replace('/api', '')}`)
  await page.locator('.ag-row:not(.row-waiting) [col-id="Name"]').first().waitFor()
  return path
}

async function expectColumn(path: string, column: string, wanted: unknown[]): Promise<void> {
  await eventually(async () => {
    const rows = await readRecords(rest, path)
    expect(rows.map(({ fields }) => fields[column])).toEqual(wanted)
  }, patience)
}

/** Drags from the middle of one cell to that of another. */
async function drag(from: [number, string], to: [number, string]): Promise<void> {
  await cell(...from).hover()
  await page.mouse.down()
  await cell(...to).hover()
  await page.mouse.up()
}

/** Drags the handle in the corner of a cell to another cell. */
async function dragHandle(from: Locator, to: Locator): Promise<void> {
  const { x = 0, y = 0, width = 0, height = 0 } = (await from.boundingBox()) ?? {}
  await page.mouse.move(x + width - 4, y + height - 4)
  await page.mouse.down()
  await to.hover()
  await page.mouse.up()
}

describe('cells of a table', () => {
  it('are reached and selected by Home and End, in their row and with Ctrl in the table', async () => {
    await openTable('Edges')
    const focused = (row: number, column: string) =>
      page.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]:focus`).waitFor()
    await cell(2, 'Size').click()
    await page.keyboard.press('Home')
    await focused(2, 'Name')
    await page.keyboard.press('End')
    await focused(2, 'Sum')
    await page.keyboard.press('Control+Home')
    await focused(0, 'Name')
    await page.keyboard.press('Control+End')
    await focused(3, 'Sum')
    await page.keyboard.press('Shift+Home')
    await foot('3 cells selected, sum 12, average 6')
    await page.keyboard.press('Control+Shift+Home')
    await foot('12 cells selected, sum 30, average 3.75')
  })

  it('are selected by dragging, by clicks and arrows with Shift, and summed below the grid', async () => {
    await openTable('Selected')
    await drag([1, 'Name'], [2, 'Size'])
    await foot('4 cells selected, sum 5, average 2.5')
    await eventually(async () => expect(await selected().count()).toBe(4), patience)
    expect(await findViolations(page)).toEqual([])
    await cell(0, 'Size').click()
    await nothing()
    await eventually(async () => expect(await selected().count()).toBe(0), patience)
    await cell(3, 'Sum').click({ modifiers: ['Shift'] })
    await foot('8 cells selected, sum 30, average 3.75')
    await cell(1, 'Size').click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowLeft')
    await foot('4 cells selected, sum 5, average 2.5')
    await page.keyboard.press('Control+Shift+ArrowUp')
    await foot('4 cells selected, sum 3, average 1.5')
    await page.keyboard.press('Control+a')
    await foot('12 cells selected, sum 30, average 3.75')
    await page.keyboard.press('Escape')
    await nothing()
  })

  it('are summed anew when somebody else changes them', async () => {
    const path = await openTable('Summed')
    await page.getByText('Live', { exact: true }).waitFor()
    await drag([0, 'Size'], [1, 'Size'])
    await foot('2 cells selected, sum 3, average 1.5')
    const [first] = await readRecords(rest, path)
    const records = [{ id: first?.id, fields: { Size: 8 } }]
    await rest.patch(`${path}/records`, { body: { records } })
    await foot('2 cells selected, sum 10, average 5')
  })

  it('are copied, cut and pasted as blocks', async () => {
    const path = await openTable('Copied')
    await drag([0, 'Name'], [1, 'Size'])
    await page.keyboard.press('Control+c')
    expect(await clipboard()).toBe('n1\t1\nn2\t2')
    await cell(2, 'Name').click()
    await page.keyboard.press('Control+v')
    await expectColumn(path, 'Name', ['n1', 'n2', 'n1', 'n2'])
    await expectColumn(path, 'Sum', [2, 4, 2, 4])
    await drag([0, 'Name'], [1, 'Name'])
    await page.keyboard.press('Control+x')
    await expectColumn(path, 'Name', [null, null, 'n1', 'n2'])
    expect(await clipboard()).toBe('n1\nn2')
    // One cell fills all selected ones.
    await cell(3, 'Size').click()
    await page.keyboard.press('Control+c')
    await drag([0, 'Size'], [2, 'Size'])
    await page.keyboard.press('Control+v')
    await expectColumn(path, 'Size', [2, 2, 2, 2])
  })

  it('are pasted with the same references, files and choices, and as what is shown in other programs', async () => {
    const uploaded = await rest.post<number[]>(`${doc}/attachments`, {
      body: formOf([
        ['a, b.txt', 'a'],
        ['c.txt', 'c'],
      ]),
    })
    const files = ['L', ...uploaded.body]
    await addTable(rest, doc, 'Persons', { Name: 'Text' })
    const persons = await addRecords(rest, `${doc}/tables/Persons`, [
      { Name: 'Ada, B' },
      { Name: 'Bo' },
    ])
    const path = `${doc}/tables/Linked`
    const types = {
      Boss: 'Ref:Persons',
      Team: 'RefList:Persons',
      Files: 'Attachments',
      Tags: 'ChoiceList',
      Note: 'Text',
    }
    await addTable(rest, doc, 'Linked', types)
    const [ada, bo] = persons
    const full = {
      Boss: ada,
      Team: ['L', bo, ada],
      Files: files,
      Tags: ['L', 'x, y', 'z'],
      Note: 'n',
    }
    await addRecords(rest, path, [full, {}, {}])
    await page.goto(`${sheaf.url}/console${path.replace('/api', '')}`)
    for (const [column, text] of [
      ['Boss', 'Ada, B'],
      ['Team', 'Bo'],
      ['Files', 'c.txt'],
    ] as const)
      await cell(0, column).getByText(text, { exact: true }).waitFor()
    await drag([0, 'Boss'], [0, 'Note'])
    await page.keyboard.press('Control+x')
    expect(await clipboard()).toBe(
      'Ada, B\tBo, "Ada, B"\t"a, b.txt", c.txt\t"x, y", z\tn'.replace(
        /[^\t]*"[^\t]*/g,
        (text) => `"${text.replaceAll('"', '""')}"`,
      ),
    )
    const wanted = async (...rows: unknown[]) =>
      eventually(async () => {
        const stored = await readRecords(rest, path)
        expect(stored.map(({ fields }) => fields)).toEqual(rows)
      }, patience)
    const none = { Boss: 0, Team: null, Files: null, Tags: null, Note: null }
    await wanted(none, none, none)
    await cell(1, 'Boss').click()
    await page.keyboard.press('Control+v')
    await wanted(none, full, none)
    // Where the column has another type, what was shown.
    await cell(1, 'Team').click()
    await page.keyboard.press('Control+c')
    await cell(2, 'Note').click()
    await page.keyboard.press('Control+v')
    await wanted(none, full, { ...none, Note: 'Bo, "Ada, B"' })
  })

  it('are left as they are by a clipboard without text', async () => {
    const path = await openTable('Pictures')
    await page.evaluate(`(async () => {
      const canvas = new OffscreenCanvas(1, 1)
      canvas.getContext('2d').fillRect(0, 0, 1, 1)
      const picture = await canvas.convertToBlob({ type: 'image/png' })
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })])
    })()`)
    await drag([0, 'Name'], [1, 'Size'])
    await page.keyboard.press('Control+v')
    await page.getByRole('alert').getByText('there is no text in the clipboard').waitFor()
    await expectColumn(path, 'Name', ['n1', 'n2', 'n3', 'n4'])
    // The text of an empty cell is none, too; what it replaces is emptied nevertheless.
    await addRecords(rest, path, [{ Name: '' }])
    await cell(4, 'Name').click()
    await page.keyboard.press('Control+c')
    await cell(0, 'Name').click()
    await page.keyboard.press('Control+v')
    await expectColumn(path, 'Name', ['', 'n2', 'n3', 'n4', ''])
  })

  it('are pasted beyond the last row and column as one change, when the user adds them', async () => {
    const path = `${doc}/tables/Grown`
    await addTable(rest, doc, 'Grown', { Name: 'Text' })
    await addRecords(rest, path, [{ Name: 'first' }])
    await page.goto(`${sheaf.url}/console${path.replace('/api', '')}`)
    await cell(0, 'Name').click()
    await page.evaluate(`navigator.clipboard.writeText('one\\tx\\ntwo\\ty\\nthree')`)
    await page.keyboard.press('Control+v')
    await page.getByRole('dialog', { name: 'Add 2 rows and 1 column?' }).waitFor()
    // Somebody else adds a column of the id that the new one would have.
    const others = [{ id: 'A', fields: { type: 'Text' } }]
    await rest.post(`${path}/columns`, { body: { columns: others } })
    await page.keyboard.press('Enter')
    await cell(2, 'Name').getByText('three').waitFor()
    await cell(1, 'B').getByText('y').waitFor()
    await expectColumn(path, 'Name', ['one', 'two', 'three'])
    await expectColumn(path, 'B', ['x', 'y', null])
    await expectColumn(path, 'A', ['', '', ''])
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await expectColumn(path, 'Name', ['first'])
    await page.locator('.ag-header-cell[col-id="B"]').waitFor({ state: 'detached' })
  })

  it('are not pasted beyond the last row over what somebody else has changed meanwhile', async () => {
    const path = await openTable('Shared', 1)
    await cell(0, 'Name').click()
    await page.evaluate(`navigator.clipboard.writeText('one\\ntwo')`)
    await page.keyboard.press('Control+v')
    const dialog = page.getByRole('dialog', { name: 'Add 1 row?' })
    await dialog.waitFor()
    const [first] = await readRecords(rest, path)
    const records = [{ id: first?.id, fields: { Name: 'theirs' } }]
    await rest.patch(`${path}/records`, { body: { records } })
    await page.keyboard.press('Enter')
    await dialog.getByText('somebody else has changed these cells').waitFor()
    await expectColumn(path, 'Name', ['theirs'])
    await page.keyboard.press('Escape')
  })

  it('are not pasted beyond the last row over a value that is not saved', async () => {
    const path = await openTable('Waiting', 1)
    await page.route('**/batch', (route) => route.abort())
    await cell(0, 'Name').click()
    await page.keyboard.type('unsaved')
    await page.keyboard.press('Enter')
    await page.getByText('is not saved, trying again').waitFor()
    await cell(0, 'Name').click()
    await page.evaluate(`navigator.clipboard.writeText('one\\ntwo')`)
    await page.keyboard.press('Control+v')
    await page.getByText('some of these cells have values that are not saved yet').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await expectColumn(path, 'Name', ['unsaved'])
    await cell(0, 'Name').click()
    await page.keyboard.press('Control+v')
    await page.getByRole('dialog', { name: 'Add 1 row?' }).waitFor()
    await page.keyboard.press('Enter')
    await expectColumn(path, 'Name', ['one', 'two'])
  })

  it('are emptied and filled down at once, and one undo brings them back', async () => {
    const path = await openTable('Filled')
    await drag([0, 'Size'], [3, 'Size'])
    await page.keyboard.press('Control+d')
    await expectColumn(path, 'Size', [1, 1, 1, 1])
    await page.keyboard.press('Control+z')
    await expectColumn(path, 'Size', [1, 2, 3, 4])
    await cell(2, 'Name').click()
    await page.keyboard.press('Control+d')
    await expectColumn(path, 'Name', ['n1', 'n2', 'n2', 'n4'])
    // Formulas are left alone.
    await drag([1, 'Name'], [2, 'Sum'])
    await page.keyboard.press('Delete')
    await expectColumn(path, 'Name', ['n1', null, null, 'n4'])
    await expectColumn(path, 'Size', [1, null, null, 4])
    await page.keyboard.press('Control+z')
    await expectColumn(path, 'Size', [1, 2, 3, 4])
    await drag([0, 'Sum'], [1, 'Sum'])
    await page.keyboard.press('Delete')
    await page.getByRole('alert').getByText('formula columns cannot be emptied').waitFor()
  })

  it('are filled by dragging the handle of the selection, with the numbers that follow', async () => {
    const path = await openTable('Dragged')
    const ids = (await readRecords(rest, path)).map(({ id }) => id)
    const records = [10, 20].map((Size, at) => ({ id: ids[at], fields: { Size } }))
    await rest.patch(`${path}/records`, { body: { records } })
    await cell(1, 'Size').getByText('20').waitFor()
    await drag([0, 'Size'], [1, 'Size'])
    await dragHandle(cell(1, 'Size'), cell(3, 'Size'))
    await expectColumn(path, 'Size', [10, 20, 30, 40])
    await foot('4 cells selected, sum 100, average 25')
    // The handle of a single cell; upwards, too.
    await cell(2, 'Name').click()
    await dragHandle(cell(2, 'Name'), cell(1, 'Name'))
    await expectColumn(path, 'Name', ['n1', 'n3', 'n3', 'n4'])
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await expectColumn(path, 'Name', ['n1', 'n2', 'n3', 'n4'])
    await expectColumn(path, 'Size', [10, 20, 3, 4])
  })

  it('are selected, copied and emptied beyond the rows that are loaded', async () => {
    const path = await openTable('Long', MANY)
    await cell(0, 'Size').click()
    await page.keyboard.press('Control+Shift+ArrowDown')
    const sum = (MANY * (MANY + 1)) / 2
    await foot(`2,000 cells selected, sum ${sum.toLocaleString()}, average 1,000.5`)
    await page.keyboard.press('Control+c')
    const copied = (await clipboard()).split('\n')
    expect(copied).toHaveLength(MANY)
    expect(copied.at(-1)).toBe(String(MANY))
    await page.keyboard.press('Delete')
    await eventually(async () => {
      const { body } = await rest.post<{ records: { n: number }[] }>(`${doc}/sql`, {
        body: { sql: 'select count(*) as n from Long where Size > 0' },
      })
      expect(JSON.stringify(body.records)).toContain('"n":0')
    }, patience)
    await page.keyboard.press('Control+z')
    await eventually(
      async () => (await readRecords(rest, path)).at(-1)?.fields.Size === MANY,
      patience,
    )
    await page.evaluate(`navigator.clipboard.writeText('7')`)
    await page.keyboard.press('Control+v')
    await expectColumn(path, 'Size', new Array<number>(MANY).fill(7))
  })

  it('are selected beyond the edge of the view, which scrolls with the pointer', async () => {
    await openTable('Scrolled', 300)
    await cell(3, 'Name').hover()
    await page.mouse.down()
    await cell(5, 'Name').hover()
    await page.mouse.move(400, 718)
    await foot('297 cells selected')
    await page.mouse.up()
    await cell(299, 'Name').waitFor()
  })

  it('are selected and copied by those who may not change them, and nothing else', async () => {
    const path = await openTable('Viewed')
    await rest.patch(`${doc}/access`, {
      body: { delta: { users: { [emailOf('eve')]: 'viewers' } } },
    })
    await using guest = await visit({ viewport: { width: 1200, height: 850 } })
    await guest.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await signIn(guest, sheaf, emailOf('eve'))
    await guest.page.goto(`${sheaf.url}/console${path.replace('/api', '')}`)
    const at = (row: number) => guest.page.locator(`.ag-row[row-index="${row}"] [col-id="Name"]`)
    await at(0).click()
    await at(1).click({ modifiers: ['Shift'] })
    for (const key of ['Control+x', 'Delete', 'Control+d', 'Control+v'])
      await guest.page.keyboard.press(key)
    await guest.page.locator('.range-foot').getByText('2 cells selected').waitFor()
    expect(await guest.page.evaluate('navigator.clipboard.readText()')).toBe('n1\nn2')
    await expectColumn(path, 'Name', ['n1', 'n2', 'n3', 'n4'])
    expect(guest.faults).toEqual([])
  })
})
