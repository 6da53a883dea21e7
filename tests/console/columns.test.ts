import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Locator, Page } from 'playwright-core'
import { addRecords, newDocument, readRecords } from '../support/system'
import { findUrl, findViolations, patience, useChromium, type Visit } from './chromium'

const { openDesk } = useChromium()
let sheaf: UsableSheaf
let desk: Visit
let page: Page
let rest: Rest
let panel: Locator
beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openDesk())
  await page.setViewportSize({ width: 1400, height: 900 })
  panel = page.locator('.side-panel')
})

type Fields = Readonly<Record<string, unknown>>

/** Opens a table with these columns and rows. Returns its path in the API. */
async function openTable(
  columns: Readonly<Record<string, Fields>>,
  rows: Fields[],
): Promise<string> {
  const doc = await newDocument(rest, 'Columns')
  const table = {
    id: 'Things',
    columns: Object.entries(columns).map(([id, { options, ...fields }]) => ({
      id,
      fields: { ...fields, widgetOptions: options === undefined ? '' : JSON.stringify(options) },
    })),
  }
  expect((await rest.post(`${doc}/tables`, { body: { tables: [table] } })).status).toBe(200)
  await addRecords(rest, `${doc}/tables/Things`, rows)
  await page.goto(`${await findUrl(sheaf, rest, doc)}/tables/Things`)
  await page.getByRole('gridcell').first().waitFor()
  return `${doc}/tables/Things`
}

const cell = (row: number, column: string) =>
  page.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)

async function edit(column: string): Promise<void> {
  await page.getByRole('button', { name: `Column menu: ${column}`, exact: true }).click()
  await page.getByRole('menuitem', { name: 'Edit column…' }).click()
  await panel.waitFor()
}

async function save(): Promise<void> {
  await panel.getByRole('button', { name: 'Save', exact: true }).click()
  await panel.waitFor({ state: 'detached' })
}

async function optionsOf(path: string, column: string): Promise<unknown> {
  const { body } = await rest.get<{
    columns: { id: string; fields: { widgetOptions: string } }[]
  }>(`${path}/columns`)
  const found = body.columns.find(({ id }) => id === column)
  return JSON.parse(found?.fields.widgetOptions || '{}')
}

async function expectReadableInTheDark(): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' })
  // Colours change with the next frame.
  await eventually(async () => expect(await findViolations(page)).toEqual([]), patience)
  await page.emulateMedia({ colorScheme: 'light' })
}

const hues = ['Red', 'Orange', 'Yellow', 'Green', 'Teal', 'Blue', 'Purple', 'Pink']

describe('choices', () => {
  it('are added in the next colour, readable in the light and in the dark, and drawn as stored', async () => {
    const path = await openTable(
      { Kind: { type: 'Choice' } },
      hues.map((Kind) => ({ Kind })),
    )
    await edit('Kind')
    await panel.getByRole('button', { name: 'Add choice' }).click()
    for (const hue of hues) {
      await page.keyboard.type(hue)
      await page.keyboard.press('Enter')
    }
    await panel.getByRole('button', { name: 'Remove choice 9' }).click()
    expect(await findViolations(page)).toEqual([])
    await save()
    const stored = (await optionsOf(path, 'Kind')) as {
      choiceOptions: Record<string, { fillColor: string }>
    }
    expect(Object.keys(stored.choiceOptions)).toEqual(hues)
    await page.locator('.cell-chip.hue-pink').waitFor()
    const fills = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.ag-cell .cell-chip')].map((chip) => getComputedStyle(chip).backgroundColor)`,
    )
    const hex = (part: string) => Number(part).toString(16).padStart(2, '0').toUpperCase()
    const drawn = fills.map((fill) => `#${(fill.match(/\d+/g) ?? []).map(hex).join('')}`)
    const expected = hues.map((hue) => stored.choiceOptions[hue]?.fillColor)
    expect([...drawn].sort()).toEqual([...expected].sort())
    await expectReadableInTheDark()
  })

  it('have the colours of other programs, which stay readable', async () => {
    const choiceOptions = {
      low: { fillColor: '#FFFF00', textColor: '#FFFFFF', fontBold: true },
      high: { fillColor: '#0365B2', textColor: '#FFFFFF' },
    }
    const options = { choices: ['low', 'high'], choiceOptions, wrap: true }
    const rows = [{ Level: 'low' }, { Level: 'high' }, { Level: 'other' }]
    const path = await openTable({ Level: { type: 'Choice', options } }, rows)
    await page.locator('.cell-chip.own-colour.bold').waitFor()
    expect(await findViolations(page)).toEqual([])
    await expectReadableInTheDark()
    await edit('Level')
    await panel.getByRole('button', { name: 'Colour of “low”' }).click()
    await panel.getByRole('menuitemradio', { name: 'Teal' }).click()
    await save()
    expect(await optionsOf(path, 'Level')).toMatchObject({
      wrap: true,
      choiceOptions: { low: { fillColor: '#CBEFEC', fontBold: true }, high: choiceOptions.high },
    })
  })

  it('are moved by the keyboard and by dragging, and renamed with their cells as one change', async () => {
    const options = { choices: ['a', 'b', 'c'] }
    const path = await openTable(
      { One: { type: 'Choice', options }, Many: { type: 'ChoiceList', options } },
      [
        { One: 'a', Many: ['L', 'a', 'c'] },
        { One: 'b', Many: ['L', 'b'] },
        { One: 'a', Many: null },
      ],
    )
    const cells = async (column: string) =>
      (await readRecords(rest, path)).map(({ fields }) => fields[column])
    const handle = async (name: string) => {
      const button = panel.getByRole('button', { name: `Move “${name}”`, exact: true })
      const { x, y, height } = (await button.boundingBox()) ?? { x: NaN, y: NaN, height: NaN }
      return [x + 5, y + height / 2] as const
    }
    const drag = async (name: string, over: string) => {
      await page.mouse.move(...(await handle(name)))
      const target = await handle(over)
      await page.mouse.down()
      await page.mouse.move(...target, { steps: 10 })
      await page.mouse.up()
    }
    await edit('One')
    await panel.getByRole('button', { name: 'Move “a”', exact: true }).focus()
    await page.keyboard.press('ArrowDown')
    await panel.getByText('a is choice 2 of 3.').waitFor()
    await page.keyboard.press('ArrowUp')
    await panel.getByText('a is choice 1 of 3.').waitFor()
    await drag('c', 'a')
    await drag('a', 'b')
    await panel.getByLabel('Name of choice 3').fill('z')
    await save()
    expect(await optionsOf(path, 'One')).toEqual({ choices: ['c', 'b', 'z'] })
    await eventually(async () => expect(await cells('One')).toEqual(['z', 'b', 'z']), patience)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await eventually(async () => expect(await cells('One')).toEqual(['a', 'b', 'a']), patience)
    expect(await optionsOf(path, 'One')).toEqual(options)

    await edit('Many')
    await panel.getByLabel('Name of choice 1').fill('x')
    await panel.getByRole('button', { name: 'Remove “b”' }).click()
    await panel.getByRole('button', { name: 'Make from values' }).click()
    await panel.getByLabel('Name of choice 4').waitFor()
    const last = panel.getByLabel(/^Name of choice/).last()
    expect(await last.inputValue()).toBe('b')
    await panel.getByRole('button', { name: 'Remove “a”' }).click()
    await save()
    await eventually(
      async () => expect(await cells('Many')).toEqual([['L', 'x', 'c'], ['L', 'b'], null]),
      patience,
    )
    expect(desk.faults).toEqual([])
  })
})

describe('a column that becomes choices', () => {
  it('keeps what is edited after another type is chosen, though its values arrive only then', async () => {
    await openTable({ Kind: { type: 'Text' } }, [{ Kind: 'cat' }])
    const chooseType = async (name: string) => {
      await panel.getByRole('button', { name: /^Type/ }).click()
      await panel.getByRole('menuitemradio', { name, exact: true }).click()
    }
    const values = /\/values(\?|$)/
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(values, async (route) => {
      await held
      await route.continue()
    })
    await edit('Kind')
    const asked = page.waitForRequest(values)
    await chooseType('Choice')
    await asked
    await chooseType('Text')
    await panel.getByLabel('Description').fill('Kept')
    const answered = page.waitForResponse(values)
    answer()
    await (await answered).finished()
    await desk.settled()
    await panel.getByRole('button', { name: /^Type: Text/ }).waitFor()
    expect(await panel.getByLabel('Description').inputValue()).toBe('Kept')
    await page.unroute(values)
    await save()
  })
})

describe('a column that someone else has changed since its panel was opened', () => {
  it('is not overwritten', async () => {
    const path = await openTable({ Kind: { type: 'Choice', options: { choices: ['a'] } } }, [{}])
    await edit('Kind')
    await panel.getByRole('button', { name: 'Add choice' }).click()
    await page.keyboard.type('mine')
    const theirs = { choices: ['a', 'theirs'] }
    const change = { id: 'Kind', fields: { widgetOptions: JSON.stringify(theirs) } }
    await rest.patch(`${path}/columns`, { body: { columns: [change] } })
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await panel.getByText('Someone else has changed this column in the meantime.').waitFor()
    expect(await optionsOf(path, 'Kind')).toEqual(theirs)
    await panel.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await panel.waitFor({ state: 'detached' })
  })
})

describe('numbers and dates', () => {
  it('are shown in the format of their column, and read as they are shown: 7.5 in percentages is 7.5 %', async () => {
    const path = await openTable(
      {
        Price: {
          type: 'Numeric',
          options: { numMode: 'currency', currency: 'EUR', numSign: 'parens', odd: 1 },
        },
        Share: { type: 'Numeric', options: { numMode: 'percent' } },
        Day: { type: 'Date', options: { dateFormat: 'DD/MM/YYYY' } },
        Seen: { type: 'DateTime:UTC', options: { dateFormat: 'MMM D, YYYY', timeFormat: 'HH:mm' } },
      },
      [{ Price: -1234.5, Share: 0.5, Day: 1_709_596_800, Seen: 1_709_631_000 }],
    )
    const texts = () =>
      Promise.all(['Price', 'Share', 'Day', 'Seen'].map((id) => cell(0, id).textContent()))
    await eventually(async () =>
      expect(await texts()).toEqual(['(€1,234.50)', '50%', '05/03/2024', 'Mar 5, 2024 09:30']),
    )
    const field = page.locator('.cell-field')
    await cell(0, 'Share').click()
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toBe('50%')
    await field.fill('7.5')
    await page.keyboard.press('Enter')
    await cell(0, 'Price').click()
    await page.keyboard.press('Enter')
    await field.fill('(€1,000.25)')
    await page.keyboard.press('Enter')
    await cell(0, 'Day').click()
    await page.keyboard.type('06/03/2024')
    await page.keyboard.press('Enter')
    await eventually(async () => {
      const [row] = await readRecords(rest, path)
      expect(row?.fields).toMatchObject({ Price: -1000.25, Share: 0.075, Day: 1_709_683_200 })
    }, patience)
    await eventually(async () =>
      expect((await texts()).slice(0, 3)).toEqual(['(€1,000.25)', '8%', '06/03/2024']),
    )
  })

  it('get a format in the panel, which shows an example', async () => {
    const path = await openTable(
      {
        Size: { type: 'Numeric', options: { odd: [1] } },
        Day: { type: 'Date' },
        Seen: { type: 'DateTime:UTC' },
      },
      [{ Size: 1234.5, Day: 0, Seen: 0 }],
    )
    await edit('Size')
    await panel.getByLabel('Format').selectOption({ label: 'Currency' })
    await panel.getByLabel('Currency').selectOption('CHF')
    await panel.getByLabel('Decimals').fill('1')
    await panel.getByText(/^Example: CHF\s1,234\.5$/).waitFor()
    expect(await findViolations(page)).toEqual([])
    await save()
    expect(await optionsOf(path, 'Size')).toEqual({
      odd: [1],
      numMode: 'currency',
      currency: 'CHF',
      decimals: 1,
      maxDecimals: 1,
    })
    await edit('Day')
    await panel.getByLabel('Date format').selectOption('Custom')
    await panel.getByLabel('Custom date format').fill('[Week] W')
    await panel.getByText(/^Example: Week \d+$/).waitFor()
    expect(await findViolations(page)).toEqual([])
    await save()
    await cell(0, 'Day').getByText('Week 1', { exact: true }).waitFor()
    expect(await optionsOf(path, 'Day')).toEqual({ dateFormat: '[Week] W' })
    await edit('Seen')
    const date = panel.getByLabel('Date format')
    const shown = () => date.locator('option:checked').textContent()
    expect(await shown()).toBe('In the language of the browser')
    await panel.getByLabel('Time format').selectOption('HH:mm')
    expect(await shown()).toMatch(/^Default: \d{4}-\d\d-\d\d \(YYYY-MM-DD\)$/)
    await panel.getByText(/^Example: \d{4}-\d\d-\d\d \d\d:\d\d$/).waitFor()
    await panel.getByLabel('Time format').selectOption('Hidden')
    await panel.getByText(/^Example: \d{4}-\d\d-\d\d$/).waitFor()
    await save()
    expect(await optionsOf(path, 'Seen')).toEqual({ timeFormat: '' })
    expect(desk.faults).toEqual([])
  })
})

describe('cells', () => {
  it('get an alignment, and lines in higher rows, in the panel', async () => {
    const path = await openTable({ Tags: { type: 'ChoiceList' }, Done: { type: 'Bool' } }, [
      { Tags: ['L', ...'abcdefghijklmnop'] },
    ])
    await page.getByRole('button', { name: 'Rows', exact: true }).click()
    await page.getByRole('menuitemradio', { name: 'Medium rows' }).click()
    await page.keyboard.press('Escape')
    await edit('Tags')
    await panel.getByLabel('Alignment').selectOption({ label: 'Right' })
    await panel.getByLabel('Wrap text').check()
    expect(await findViolations(page)).toEqual([])
    await save()
    expect(await optionsOf(path, 'Tags')).toEqual({ alignment: 'right', wrap: true })
    const chips = page.locator('.ag-cell.cell-end.cell-wrap .cell-chip')
    const topOf = async (chip: Locator) => (await chip.boundingBox())?.y ?? NaN
    await eventually(async () => {
      expect(await topOf(chips.last())).toBeGreaterThan(await topOf(chips.first()))
    }, patience)
    await edit('Done')
    await panel.getByLabel('Alignment').waitFor()
    expect(await panel.getByLabel('Wrap text').count()).toBe(0)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
  })
})

describe('text', () => {
  it('is shown with its link or its Markdown, of which nothing unsafe is opened', async () => {
    const text = '**bold** [site](https://example.org) [bad](javascript:alert)'
    await openTable(
      {
        Site: { type: 'Text', options: { widget: 'HyperLink' } },
        Note: { type: 'Text', options: { alignment: 'right', wrap: true } },
      },
      [
        { Site: 'Home https://example.org/a', Note: text },
        { Site: 'javascript:alert(1)', Note: '<b>x</b>' },
      ],
    )
    await edit('Note')
    await panel.getByLabel('Show as').selectOption({ label: 'Markdown' })
    await save()
    await cell(0, 'Note').locator('strong').getByText('bold').waitFor()
    expect(await page.locator('.ag-cell.cell-end.cell-wrap').count()).toBe(2)
    expect(await page.locator('.ag-cell a').count()).toBe(2)
    const link = cell(0, 'Site').getByRole('link')
    for (const [name, value] of [
      ['href', 'https://example.org/a'],
      ['target', '_blank'],
      ['rel', 'noopener noreferrer'],
    ] as const)
      expect(await link.getAttribute(name)).toBe(value)
    expect(await cell(1, 'Note').textContent()).toBe('<b>x</b>')
    expect(await findViolations(page)).toEqual([])
    await page
      .context()
      .route('https://example.org/**', (route) => route.fulfill({ body: 'there' }))
    for (const open of [
      () => link.click(),
      () =>
        cell(0, 'Site')
          .getByText('Home')
          .click({ modifiers: ['Control'] }),
      () => page.keyboard.press('Alt+Enter'),
    ]) {
      const opened = page.context().waitForEvent('page')
      await open()
      const other = await opened
      await other.waitForURL('https://example.org/a')
      expect(await other.evaluate('opener')).toBeNull()
      await other.close()
    }
    expect(desk.faults).toEqual([])
  })
})
