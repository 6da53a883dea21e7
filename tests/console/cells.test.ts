import { isDeepStrictEqual } from 'node:util'
import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Locator, Page } from 'playwright-core'
import { addRecords, addTable, emailOf, newDocument, readRecords } from '../support/system'
import { findViolations, signIn, useChromium, type Visit } from './chromium'

const { openDesk, visit } = useChromium()
let sheaf: UsableSheaf
let desk: Visit
let page: Page
let rest: Rest
let doc: string
let address: string
beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openDesk({
    viewport: { width: 2400, height: 700 },
    locale: 'en-US',
  }))
  doc = await newDocument(rest, 'Cell types')
  await fill()
  const { body } = await rest.get<{ id: number }>(doc)
  address = `${sheaf.url}/console/docs/${body.id}/tables/Kinds`

  await page.goto(address)
  await cell('Words').getByText('one').waitFor()
})

const JAN_2 = Date.UTC(2024, 0, 2) / 1000
const types = {
  Words: 'Text',
  Size: 'Numeric',
  Count: 'Int',
  Done: 'Bool',
  Day: 'Date',
  Moment: 'DateTime:America/New_York',
  Colour: 'Choice',
  Colours: 'ChoiceList',
  Person: 'Ref:People',
  People: 'RefList:People',
  Papers: 'Attachments',
  Whatever: 'Any',
}

/** Adds a row with a value of every type, and a second one with values that do not match their types. */
async function fill(): Promise<void> {
  await addTable(rest, doc, 'People', { Name: 'Text' })
  const names = ['Ada', 'Bob', 'Cleo', ...Array.from({ length: 30 }, (_, n) => `Guest ${n}`)]
  await addRecords(
    rest,
    `${doc}/tables/People`,
    names.map((Name) => ({ Name })),
  )
  const table = await addTable(rest, doc, 'Kinds', types)
  const widgetOptions = JSON.stringify({ choices: ['Red', 'Green', 'Blue'] })
  const columns = ['Colour', 'Colours'].map((id) => ({ id, fields: { widgetOptions } }))
  await rest.patch(`${doc}/tables/${table}/columns`, { body: { columns } })
  await addRecords(rest, `${doc}/tables/${table}`, [
    {
      Words: 'one',
      Size: 1234.5,
      Count: 7,
      Day: JAN_2,
      Moment: JAN_2 + 5 * 3600,
      Colour: 'Red',
      Colours: ['L', 'Blue', 'Red'],
      Person: 2,
      People: ['L', 3, 1],
      Whatever: ['L', 1, 'a'],
    },
    { Words: 'kept', Size: 'much', Day: 'some day', Done: 'maybe', Person: 'Nobody' },
  ])
}

const cell = (column: string, row = 0): Locator =>
  page.locator(`.ag-row[row-index="${row}"] .ag-cell[col-id="${column}"]`)

const stored = async (column: string, row = 0): Promise<unknown> =>
  (await readRecords(rest, `${doc}/tables/Kinds`))[row]?.fields[column]

async function holds(column: string, value: unknown, row = 0): Promise<void> {
  let last: unknown
  await eventually(async () => {
    last = await stored(column, row)
    return isDeepStrictEqual(last, value)
  }).catch(() => expect(last).toEqual(value))
}

/** Focuses a cell and opens its editor with a key. */
async function open(column: string, key = 'Enter', row = 0): Promise<void> {
  await cell(column, row).click({ position: { x: 4, y: 4 } })
  await page.keyboard.press(key)
}

const press = async (...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}

const isClosed = (): Promise<void> =>
  page.locator('.ag-cell-inline-editing, .ag-popup-editor').waitFor({ state: 'detached' })

describe('cells', () => {
  it('show values formatted by type', async () => {
    const shown = {
      Words: 'one',
      Size: '1234.5',
      Count: '7',
      Day: 'Jan 2, 2024',
      Moment: /^Jan 2, 2024, 12:00\sAM$/,
      Colour: 'Red',
      Colours: 'BlueRed',
      Person: 'Bob',
      People: 'CleoAda',
      Whatever: '1, a',
    }
    for (const [column, text] of Object.entries(shown))
      await cell(column)
        .getByText(text)
        .first()
        .waitFor()
        .catch(() => {})
    const texts = await Promise.all(
      Object.keys(shown).map(async (column) => (await cell(column).textContent())?.trim()),
    )
    expect(texts).toEqual(Object.values(shown).map((text): unknown => expect.stringMatching(text)))
    expect(await cell('Person', 1).textContent()).toBe('Nobody')
    await page.locator('.cell-invalid').getByText('some day').waitFor()
    expect(await findViolations(page)).toEqual([])
  })

  it('are unchanged after opening and closing their editors with Enter or Escape', async () => {
    const before = await readRecords(rest, `${doc}/tables/Kinds`)
    // One editor of each kind.
    const editors = ['Words', 'Size', 'Day', 'Moment', 'Colour', 'Colours', 'Papers']
    for (const row of [0, 1])
      for (const column of Object.keys(types).filter((name) => name !== 'Done')) {
        await open(column, 'Enter', row)
        await page.locator('.ag-cell-inline-editing, .ag-popup-editor').waitFor()
        if (row === 0 && editors.includes(column))
          expect([column, await findViolations(page)]).toEqual([column, []])
        await press(row === 0 && column !== 'Papers' ? 'Enter' : 'Escape')
        await isClosed()
      }
    expect(await readRecords(rest, `${doc}/tables/Kinds`)).toEqual(before)
    expect(desk.faults).toEqual([])
  })
})

describe('by keyboard', () => {
  it('text is entered in several lines', async () => {
    await open('Words')
    await page.getByRole('textbox', { name: 'Words' }).fill('')
    await page.keyboard.type('first')
    await press('Shift+Enter')
    await page.keyboard.type('second')
    await press('Alt+Enter')
    await page.keyboard.type('third')
    await press('Enter')
    await isClosed()
    await holds('Words', 'first\nsecond\nthird')
  })

  it('typing replaces the value, and Escape restores it', async () => {
    await open('Words', 'x')
    await page.getByRole('textbox', { name: 'Words' }).waitFor()
    await press('y', 'Escape')
    await isClosed()
    await open('Words', 'n')
    await page.getByRole('textbox', { name: 'Words' }).waitFor()
    await page.keyboard.type('ew')
    await press('Tab')
    await isClosed()
    await holds('Words', 'new')
  })

  it('numbers are entered in the locale of the browser, and anything else as text', async () => {
    await open('Size', '2')
    await page.keyboard.type(',500.25')
    await press('Enter')
    await holds('Size', 2500.25)
    await open('Size')
    await page.getByRole('textbox', { name: 'Size' }).fill('12%')
    await press('Enter')
    await holds('Size', 0.12)
    await open('Size', 'a')
    await page.keyboard.type(' lot')
    await press('Enter')
    await holds('Size', 'a lot')
    await open('Count', '4')
    await press('2', 'Enter')
    await holds('Count', 42)
  })

  it('checkboxes are toggled with Space, Enter and clicks', async () => {
    await open('Done', ' ')
    await holds('Done', true)
    await press('Enter')
    await holds('Done', false)
    await cell('Done').getByRole('checkbox', { name: 'Done' }).click()
    await holds('Done', true)
    await open('Done', 'Enter', 1)
    await page.getByRole('textbox', { name: 'Done' }).fill('no')
    await press('Enter')
    await holds('Done', false, 1)
  })

  it('dates are entered in the native field, or typed as text', async () => {
    await open('Day')
    await page.getByLabel('Day', { exact: true }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('03052025')
    await press('Enter')
    await holds('Day', Date.UTC(2025, 2, 5) / 1000)
    await open('Day', '1')
    await page.keyboard.type('2/24/2025')
    await press('Enter')
    await holds('Day', Date.UTC(2025, 11, 24) / 1000)
    await open('Day', 's')
    await page.keyboard.type('oon')
    await press('Enter')
    await holds('Day', 'soon')
  })

  it('dates with a time are entered in the time zone of the column', async () => {
    await open('Moment')
    await page.getByLabel('Moment (America/New_York)').fill('2024-07-01T10:20:30')
    await press('Enter')
    await holds('Moment', Date.UTC(2024, 6, 1, 14, 20, 30) / 1000)
    await open('Moment', '7')
    await page.keyboard.type('/2/2024 8:00 pm')
    await press('Enter')
    await holds('Moment', Date.UTC(2024, 6, 3) / 1000)
  })

  it('a choice is picked from the list, found by typing, or entered as new text', async () => {
    await open('Colour')
    await page.getByRole('combobox', { name: 'Colour' }).waitFor()
    await press('ArrowDown', 'Enter')
    await holds('Colour', 'Green')
    await open('Colour', 'b')
    await page.getByRole('option', { name: 'Blue' }).waitFor()
    await press('Enter')
    await holds('Colour', 'Blue')
    await open('Colour', 'p')
    await page.keyboard.type('ink')
    await page.getByRole('option', { name: 'Use “pink”' }).waitFor()
    await press('Tab')
    await holds('Colour', 'pink')
  })

  it('choices are toggled with Space, and found by typing', async () => {
    await open('Colours')
    await page.getByRole('combobox', { name: 'Colours' }).waitFor()
    await press('ArrowDown', 'Space', 'ArrowDown', 'Space')
    await page.keyboard.type('gold')
    await press('Enter')
    await page.getByRole('option', { name: 'gold', selected: true }).waitFor()
    await press('Enter')
    await isClosed()
    await holds('Colours', ['L', 'Blue', 'Green', 'gold'])
  })

  it('a reference is found by its label, on the server', async () => {
    await open('Person', 'g')
    await page.keyboard.type('uest 17')
    // Pressed before the search results arrive.
    await press('Enter')
    await holds('Person', 21)
    await cell('Person').getByText('Guest 17').waitFor()
    await open('Person', 'w')
    await page.keyboard.type('ho')
    await page.getByRole('option', { name: 'Use “who” as text' }).waitFor()
    await press('Enter')
    await holds('Person', 'who')
    await open('Person')
    await page.getByRole('option', { name: 'No reference' }).waitFor()
    await press('ArrowUp', 'Enter')
    await holds('Person', 0)
  })

  it('Enter pressed before the editor opens picks the first match', async () => {
    await cell('Person').click({ position: { x: 4, y: 4 } })
    // All keys in one task of the page.
    await page.evaluate(`for (const key of [...'guest 16', 'Enter'])
      document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`)
    await holds('Person', 20)
    await isClosed()
  })

  it('references are toggled in the list of search results', async () => {
    await open('People')
    await page.getByRole('option', { name: 'Cleo', selected: true }).waitFor()
    await press('ArrowDown', 'Space')
    await page.keyboard.type('bob')
    await press('Enter')
    await page.getByRole('option', { name: 'Bob', selected: true }).waitFor()
    await press('Enter')
    await isClosed()
    await holds('People', ['L', 1, 2])
    await cell('People').getByText('Bob').waitFor()
  })

  it('files are uploaded to a cell, listed, and removed', async () => {
    await open('Papers')
    const editor = page.getByRole('group', { name: 'Papers' })
    const files = ['plan.txt', 'map.txt'].map((name) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(name),
    }))
    await editor.getByLabel('Attach files').setInputFiles(files)
    await editor.getByRole('link', { name: 'plan.txt' }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await editor.getByRole('button', { name: 'Remove plan.txt' }).press('Enter')
    await editor.getByRole('link', { name: 'plan.txt' }).waitFor({ state: 'detached' })
    await press('Tab', 'Enter')
    await isClosed()
    await holds('Papers', ['L', 2])
    const link = cell('Papers').getByRole('link', { name: 'map.txt' })
    expect(await link.getAttribute('href')).toMatch(/\/attachments\/2\/download$/)
  })

  it('cells of type Any accept numbers, lists and text', async () => {
    for (const [text, value] of [
      ['12.5', 12.5],
      ['["L",1,"b"]', ['L', 1, 'b']],
      ['=1+1', '=1+1'],
    ] as const) {
      await open('Whatever')
      await page.getByRole('textbox', { name: 'Whatever' }).fill(text)
      await press('Enter')
      await holds('Whatever', value)
    }
    expect(desk.faults).toEqual([])
  })
})

describe('a viewer', () => {
  it('sees the cells and opens no editor', async () => {
    const { email } = await sheaf.createUser(emailOf('vi'), 'Vi')
    await rest.patch(`${doc}/access`, { body: { delta: { users: { [email]: 'viewers' } } } })
    await using other = await visit({ viewport: { width: 2400, height: 700 } })
    await signIn(other, sheaf, email)
    await other.page.goto(address)
    const words = other.page.locator('.ag-row[row-index="0"] .ag-cell[col-id="Words"]')
    await words.getByText('new').waitFor()
    await words.click()
    await other.page.keyboard.press('Enter')
    await other.page.keyboard.press('x')
    expect(await other.page.locator('.ag-cell-inline-editing, .ag-popup-editor').count()).toBe(0)
    expect(await other.page.getByRole('checkbox', { name: 'Done' }).first().isDisabled()).toBe(true)
    expect(await other.page.getByRole('button', { name: /^Add / }).count()).toBe(0)
    expect(other.faults).toEqual([])
  })
})
