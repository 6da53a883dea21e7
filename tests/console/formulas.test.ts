import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Locator, Page } from 'playwright-core'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { findViolations, useChromium, type Visit } from './chromium'

const { openDesk } = useChromium()
let sheaf: UsableSheaf
let desk: Visit
let page: Page
let rest: Rest
let doc: string
let dialog: Locator
beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openDesk({ viewport: { width: 1400, height: 900 } }))
  doc = await newDocument(rest, 'Formulas')
  await addTable(rest, doc, 'Orders', { Quantity: 'Int', Price: 'Numeric' })
  await addRecords(rest, `${doc}/tables/Orders`, [
    { Quantity: 2, Price: 1.5 },
    { Quantity: 3, Price: 7 },
  ])

  dialog = page.getByRole('dialog')
  const { body } = await rest.get<{ id: number }>(doc)
  await page.goto(`${sheaf.url}/console/docs/${body.id}/tables/Orders`)
  await page.getByRole('gridcell', { name: '1.5' }).waitFor()
})

interface Column {
  readonly id: string
  readonly fields: { readonly formula: string }
}

const formulaOf = async (colId: string): Promise<string | undefined> => {
  const { body } = await rest.get<{ columns: Column[] }>(`${doc}/tables/Orders/columns`)
  return body.columns.find(({ id }) => id === colId)?.fields.formula
}

const totals = async (): Promise<unknown[]> =>
  (await readRecords(rest, `${doc}/tables/Orders`)).map(({ fields }) => fields.Total)

const editor = () => dialog.getByRole('textbox', { name: 'Formula' })

async function submit(name: string): Promise<void> {
  await dialog.getByRole('button', { name, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

describe('a formula', () => {
  it('is written with a mistake, which is shown with its line, and mended', async () => {
    await page.getByRole('button', { name: 'Add column' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Total')
    await dialog.getByLabel('Values').selectOption({ label: 'Computed by a formula' })
    await editor().click()
    await page.keyboard.type('$Quantity *\n')
    await dialog.getByText('Line 1:').waitFor()
    expect(await findViolations(page)).toEqual([])

    await page.keyboard.press('Control+a')
    await page.keyboard.type('$Quantity * $Prize')
    await dialog.getByText(/Prize/).and(dialog.locator('.note')).first().waitFor()

    await page.keyboard.press('Control+a')
    await page.keyboard.type('$Quantity * $Price')
    const results = dialog.getByRole('region', { name: 'Results' })
    await results.getByRole('cell', { name: '21' }).waitFor()
    await dialog.getByText('Compiled: needs no Python').waitFor()
    expect(await findViolations(page)).toEqual([])
    await submit('Add column')
    await page.getByRole('gridcell', { name: '21' }).waitFor()
    expect(await totals()).toEqual([3, 21])
  })

  it('is completed from a list that stays at its line and that no explanation covers', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByRole('button', { name: 'Add column' }).click()
    await dialog.getByLabel('Values').selectOption({ label: 'Computed by a formula' })
    await editor().click()
    await page.keyboard.type('SU')
    await dialog.getByText('Line 1:').waitFor()
    const line = dialog.locator('.cm-line').first()
    const list = dialog.locator('.cm-tooltip-autocomplete > ul')
    const explanation = dialog.locator('.cm-completionInfo')
    await explanation.waitFor()
    const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { y: NaN, height: NaN }
    await eventually(async () => {
      const [typed, names, info] = [await boxOf(line), await boxOf(list), await boxOf(explanation)]
      expect(Math.abs(names.y - (typed.y + typed.height))).toBeLessThan(6)
      expect(info.y).toBeGreaterThanOrEqual(names.y + names.height - 1)
    })
    // The list may cover the button.
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 1400, height: 900 })
  })

  it('follows a column that is renamed', async () => {
    await page.getByRole('button', { name: 'Column menu: Price', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Edit column…' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Unit price')
    await submit('Save')
    await page.getByRole('columnheader', { name: /Unit price/ }).waitFor()
    await eventually(async () => expect(await formulaOf('Total')).toBe('$Quantity * $Unit_price'))
    expect(await totals()).toEqual([3, 21])
  })

  it('is edited by keyboard from a cell of its column', async () => {
    await page.getByRole('gridcell', { name: '3', exact: true }).first().click()
    await page.keyboard.press('End')
    const bar = page.getByRole('group', { name: 'Formula of Total' })
    await bar.getByText('$Quantity * $Unit_price').waitFor()
    await bar.getByRole('button', { name: 'Edit formula' }).focus()
    await page.keyboard.press('Enter')
    await editor().waitFor()
    await editor().and(dialog.locator(':focus')).waitFor()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' + 1')
    await dialog.getByRole('cell', { name: '22' }).waitFor()
    await page.keyboard.press('Tab')
    await dialog.getByRole('button', { name: 'Save', exact: true }).focus()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('gridcell', { name: '22' }).waitFor()
    expect(await totals()).toEqual([4, 22])
    expect(desk.faults).toEqual([])
  })

  it('that needs Python says why while it is edited', async () => {
    await page.getByRole('button', { name: 'Add column' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Words')
    await dialog.getByLabel('Values').selectOption({ label: 'Computed by a formula' })
    await editor().click()
    await page.keyboard.type('len([x for x in range($Quantity)])')
    await dialog.getByText('Python: because of the function range').waitFor()
    await submit('Add column')
    await eventually(async () => expect(await formulaOf('Words')).toContain('range'))
  })

  it('is listed with how it runs, its cells and what it has not computed', async () => {
    const trigger = {
      id: 'Stamp',
      fields: { formula: 'NOW()', isFormula: false, recalcWhen: 2, type: 'DateTime:UTC' },
    }
    const added = await rest.post(`${doc}/tables/Orders/columns`, { body: { columns: [trigger] } })
    expect(added.status).toBe(200)
    await page.getByRole('link', { name: 'Formulas' }).click()
    const row = (name: string) => page.getByRole('row').filter({ hasText: `Orders.${name}` })
    await row('Total').getByText('Compiled: needs no Python').waitFor()
    await row('Words').getByText('Python: because of the function range').waitFor()
    await row('Stamp').getByText('(trigger)').waitFor()
    expect(await row('Words').getByRole('cell').nth(1).textContent()).toBe('2')
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Calculate again: Orders.Words' }).click()
    await row('Words').getByRole('cell', { name: '4', exact: true }).waitFor()
    expect(await row('Stamp').getByRole('button').count()).toBe(0)
    expect(desk.faults).toEqual([])
  })
})
