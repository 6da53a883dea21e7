import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Locator, Page } from 'playwright-core'
import { newDocument } from '../support/system'
import { findUrl, findViolations, useChromium, type Visit } from './chromium'

const { openDesk } = useChromium()
let sheaf: UsableSheaf
let rest: Rest
let desk: Visit
let page: Page
beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openDesk())
})
beforeEach(async () => {
  await page.unrouteAll()
  await page.setViewportSize({ width: 1400, height: 900 })
})

const GERMAN = 'Ware;Code;Preis\nÄpfel;007;1.234,50\nBirnen;008;0,75\n'

const textFile = (name: string, text: string) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text),
})

async function openImport(): Promise<Locator> {
  await page.goto(`${sheaf.url}/console/sites/current`)
  await page.getByRole('button', { name: 'Import into Home' }).click()
  return page.getByRole('dialog')
}

/** The rows that the preview shows, without those of the header. */
const cellsOf = (dialog: Locator) => dialog.locator('.import-rows tbody td').allTextContents()

describe('an import', () => {
  it('shows the rows of the file before it is imported, and reads them as it is told', async () => {
    const dialog = await openImport()
    await dialog.getByLabel('File').setInputFiles(textFile('Preise.csv', GERMAN))
    await dialog.getByText('2 rows.').waitFor()
    expect(await dialog.getByLabel('Delimiter').inputValue()).toBe(';')
    expect(await dialog.getByLabel('Decimal separator').inputValue()).toBe(',')
    expect(await dialog.getByLabel('Type of Preis').inputValue()).toBe('Numeric')
    expect(await cellsOf(dialog)).toEqual(['Äpfel', '007', '1,234.5', 'Birnen', '008', '0.75'])
    expect(await findViolations(page)).toEqual([])
    await dialog.getByLabel('Decimal separator').selectOption('.')
    await dialog.getByRole('cell', { name: '1.234,50' }).waitFor()
    expect(await dialog.getByLabel('Type of Preis').inputValue()).toBe('Text')
    await dialog.getByLabel('Decimal separator').selectOption(',')
    await dialog.getByLabel('Type of Code').selectOption('Integer')
    await dialog.getByRole('cell', { name: '8', exact: true }).waitFor()
    await dialog.getByLabel('Document name').fill('Price list')
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { level: 1, name: 'Price list' }).waitFor()
    await page.getByRole('gridcell', { name: '1,234.5', exact: true }).waitFor()
    await page.getByRole('gridcell', { name: '8', exact: true }).waitFor()
    expect(desk.faults).toEqual([])
  })

  it('without a header names the columns by letters, and forgets the types of other columns', async () => {
    const dialog = await openImport()
    await dialog.getByLabel('File').setInputFiles(textFile('n.csv', 'a,b\n1,2\n'))
    await dialog.getByLabel('Type of b').selectOption('Text')
    await dialog.getByLabel('First row has column names').uncheck()
    await dialog.getByLabel('Type of A', { exact: true }).waitFor()
    expect(await cellsOf(dialog)).toEqual(['a', 'b', '1', '2'])
    expect(await dialog.getByRole('button', { name: 'Import' }).isEnabled()).toBe(true)
  })

  it('keeps its controls when the file cannot be read with them', async () => {
    const dialog = await openImport()
    await dialog.getByLabel('File').setInputFiles(textFile('n.csv', 'a,b\n1,"2\n'))
    await dialog.getByRole('alert').getByText('unclosed quote').waitFor()
    await dialog.getByLabel('File').setInputFiles(textFile('n.csv', 'a,ä\n1,2\n'))
    await dialog.getByText('1 row.').waitFor()
    await dialog.getByLabel('Encoding').selectOption('utf-16le')
    await dialog.getByRole('alert').waitFor()
    expect(await dialog.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Encoding').selectOption('utf-8')
    await dialog.getByRole('alert').waitFor({ state: 'detached' })
    await dialog.getByLabel('Type of ä').waitFor()
  })

  it('of a large file previews its beginning, and fits a narrow screen', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    const line = `${'x'.repeat(100)},1\n`
    const dialog = await openImport()
    const content = `Text,Number\n${line.repeat(30_000)}`
    await dialog.getByLabel('File').setInputFiles(textFile('large.csv', content))
    await dialog.getByText(/^More than 10,\d{3} rows\. The first 20 are shown/).waitFor()
    expect(await dialog.locator('.import-rows tbody tr').count()).toBe(20)
    expect(await findViolations(page)).toEqual([])
    const width = await page.evaluate('document.scrollingElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(390)
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { level: 1, name: 'large' }).waitFor()
    const { body } = await rest.get<{ id: number; docs: { id: string; name: string }[] }[]>(
      '/api/orgs/current/workspaces',
    )
    const made = body.flatMap(({ docs }) => docs).find(({ name }) => name === 'large')
    const count = 'SELECT count(*) AS n FROM Large'
    const counted = await rest.post(`/api/docs/${made?.id}/sql`, { body: { sql: count } })
    expect(counted.body).toMatchObject({ records: [{ fields: { n: 30_000 } }] })
  })
})

describe('an import into a document', () => {
  /** A document with one table, opened in the console. */
  async function openStock(): Promise<void> {
    const doc = await newDocument(rest, 'Stock')
    const columns = [
      { id: 'Item', fields: { type: 'Text', label: 'Item name' } },
      { id: 'Price', fields: { type: 'Numeric', label: 'Price' } },
    ]
    await rest.post(`${doc}/tables`, { body: { tables: [{ id: 'Stock', columns }] } })
    await rest.post(`${doc}/tables/Stock/records`, {
      body: { records: [{ fields: { Item: 'Plums', Price: 1 } }] },
    })
    await page.goto(`${await findUrl(sheaf, rest, doc)}/tables/Stock`)
    await page.getByRole('gridcell', { name: 'Plums' }).waitFor()
  }

  it('adds a table, which undo removes', async () => {
    await openStock()
    await page.getByRole('button', { name: 'Import a file' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a file' })
    await dialog.getByLabel('File', { exact: true }).setInputFiles(textFile('Preise.csv', GERMAN))
    await dialog.getByText('2 rows.').waitFor()
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('gridcell', { name: 'Birnen' }).waitFor()
    await page.getByText('2 rows imported.').waitFor()
    await page.getByRole('link', { name: 'Preise' }).waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
    await page.getByRole('link', { name: 'Preise' }).waitFor({ state: 'detached' })
  })

  it('appends rows of a dropped file to a table, to the columns that are chosen', async () => {
    await openStock()
    const content = 'item NAME,Cost,Note\nApples,2.5,red\n'
    const dataTransfer = await page.evaluateHandle(`(() => {
      const dragged = new DataTransfer()
      dragged.items.add(new File([${JSON.stringify(content)}], 'more.csv'))
      return dragged
    })()`)
    await page.dispatchEvent('body', 'drop', { dataTransfer })
    const dialog = page.getByRole('dialog', { name: 'Import “more.csv”' })
    await dialog.getByText('1 row.').waitFor()
    await dialog.getByLabel('Import as').selectOption('Rows of Stock')
    const alignments = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.import th')].map((head) => getComputedStyle(head).textAlign)`,
    )
    expect(alignments).toEqual(['start', 'end', 'start'])
    const columns = dialog.getByRole('group', { name: 'Columns' })
    await columns.getByLabel('Cost').selectOption('Price')
    await columns.getByLabel('Note').selectOption('Leave out')
    expect(await columns.getByLabel('item NAME').inputValue()).toBe('=Item')
    for (const width of [1400, 390]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await findViolations(page)).toEqual([])
    }
    await page.setViewportSize({ width: 1400, height: 900 })
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByText('1 row imported.').waitFor()
    await page.getByRole('gridcell', { name: 'Apples' }).waitFor()
    await page.getByRole('gridcell', { name: '2.5' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Note' }).count()).toBe(0)
  })

  it('keeps what was not imported as it was in view until it is closed', async () => {
    await openStock()
    const imported = {
      tables: [{ id: 'Stock', rows: 2 }],
      seq: 1,
      notes: ['the table A is empty'],
    }
    await page.route(/\/api\/docs\/[^/?]+\/import(\?|$)/, (route) =>
      route.fulfill({ contentType: 'application/x-ndjson', body: JSON.stringify({ imported }) }),
    )
    await page.getByRole('button', { name: 'Import a file' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a file' })
    await dialog.getByLabel('File', { exact: true }).setInputFiles(textFile('Preise.csv', GERMAN))
    await dialog.getByText('2 rows.').waitFor()
    await dialog.getByRole('button', { name: 'Import' }).click()
    const shown = page.getByRole('dialog', { name: 'The file is imported' })
    await shown.getByText('the table A is empty').waitFor()
    expect(await findViolations(page)).toEqual([])
    await shown.getByRole('button', { name: 'Close', exact: true }).last().click()
    await shown.waitFor({ state: 'detached' })
  })
})
