import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { Dialog, Page } from 'playwright-core'
import { addRecords, addTable, newDocument } from '../support/system'
import { findUrl, findViolations, patience, useChromium } from './chromium'

const chromium = useChromium()
const name = 'Unsaved values of a document whose name is long enough to fill the bar at the top'
let opened: Awaited<ReturnType<typeof chromium.openDesk>>
let page: Page
let rest: Rest
let doc: string
let docUrl: string
beforeAll(async () => {
  opened = await chromium.openDesk()
  page = opened.page
  rest = opened.rest
  doc = await newDocument(rest, name)
  docUrl = await findUrl(opened.sheaf, rest, doc)
})

const isWrite = (url: URL) => url.pathname.endsWith('/batch')
const goAway = () => page.route(isWrite, (route) => route.abort())
const comeBack = () => page.unroute(isWrite)

const cell = (row: number, column = 'Name') =>
  page.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)
const says = (text: string) => page.getByRole('banner').getByText(text).waitFor()

async function openTable(id: string): Promise<string> {
  const path = `${doc}/tables/${id}`
  await addTable(rest, doc, id, { Name: 'Text', Age: 'Int' })
  await addRecords(rest, path, [
    { Name: 'Ada', Age: 36 },
    { Name: 'Zoe', Age: 5 },
    { Name: 'Bob', Age: 41 },
  ])
  await page.goto(`${docUrl}/tables/${id}`)
  await cell(2).getByText('Bob').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  return `${path}/records`
}

/** Types into the focused cell. */
async function enter(text: string): Promise<void> {
  await page.keyboard.type(text)
  const field = page.locator('.cell-field')
  await eventually(async () => (await field.inputValue()) === text, patience)
  await page.keyboard.press('Enter')
}

const unsaved = () => page.getByRole('dialog', { name: 'Unsaved values' })

/** Discards values in the open dialog with a button, and confirms that. */
async function discard(button: string): Promise<void> {
  await unsaved().getByRole('button', { name: button, exact: true }).first().click()
  const question = page.getByRole('dialog', { name: 'Discard what you entered?' })
  await question.getByRole('button', { name: 'Discard', exact: true }).click()
  await question.waitFor({ state: 'detached' })
}

async function fields(path: string): Promise<unknown[]> {
  const { body } = await rest.get<{ records: { fields: { Name: string; Age: number } }[] }>(path)
  return body.records.map((record) => [record.fields.Name, record.fields.Age])
}

const stores = (path: string, rows: unknown[]) =>
  eventually(async () => expect(await fields(path)).toEqual(rows), patience)

describe('cells that are edited while the server is away', () => {
  it('show what was typed, are counted, and are saved when the server is back, on any page', async () => {
    const path = await openTable('Away')
    await goAway()
    await cell(0).click()
    await enter('Grace')
    await enter('Mia')
    await says('2 cells are not saved, trying again…')
    await cell(0).and(page.locator('.cell-waiting')).getByText('Grace').waitFor()
    await cell(1).and(page.locator('[title="Not saved, trying again"]')).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Sheaf' }).click()
    await says(`2 cells in “${name}” are not saved, trying again…`)
    const counted = await page.locator('.unsaved').boundingBox()
    expect(counted?.height).toBeLessThanOrEqual(44)
    await page.goBack()
    await cell(1).and(page.locator('.cell-waiting')).getByText('Mia').waitFor()
    await page.getByRole('link', { name: 'Sheaf' }).click()
    await comeBack()
    // Unless the cells have been saved without it meanwhile.
    const isSaved = page.locator('.unsaved.none').waitFor({ state: 'attached' })
    await Promise.race([page.getByRole('button', { name: 'Try now' }).click(), isSaved])
    await stores(path, [
      ['Grace', 36],
      ['Mia', 5],
      ['Bob', 41],
    ])
    await isSaved
  })

  it('are asked about before the page is closed', async () => {
    await openTable('Closed')
    await goAway()
    await cell(0).click()
    await enter('Grace')
    await says('1 cell is not saved')
    const asked = new Promise<Dialog>((resolve) => page.once('dialog', resolve))
    // Not page.reload(), which would wait for a page that does not come.
    await page.evaluate('setTimeout(() => location.reload())')
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await cell(0).getByText('Grace').waitFor()
    await comeBack()
    await page.locator('.unsaved.none').waitFor({ state: 'attached' })
    // Nothing is asked once all is saved.
    await page.reload()
    await cell(0).getByText('Grace').waitFor()
  })

  it('and changed by someone else keep their value or mine, chosen by keyboard alone', async () => {
    const path = await openTable('Both')
    const { body } = await rest.get<{ records: { id: number }[] }>(path)
    const ids = body.records.map(({ id }) => id)
    await goAway()
    await cell(0).click()
    await enter('my Ada')
    await enter('my Zoe')
    await enter('my Bob')
    await says('3 cells are not saved')
    const records = ids.slice(0, 2).map((id) => ({ id, fields: { Name: `their ${id}` } }))
    await rest.patch(path, { body: { records } })
    await comeBack()
    await says('2 cells are not saved: your decision is needed.')
    const counted = await page.locator('.unsaved').boundingBox()
    const bar = await page.locator('.top').boundingBox()
    expect(counted?.y).toBeGreaterThanOrEqual(0)
    expect(counted?.height).toBeLessThanOrEqual(bar?.height ?? 0)
    // On a narrow window the panel of a row leaves room for it.
    await page.setViewportSize({ width: 390, height: 800 })
    await cell(0).click()
    await page.keyboard.press('Space')
    await page.getByRole('dialog').waitFor()
    await page.getByRole('button', { name: 'Decide…' }).click({ trial: true })
    await page.getByRole('button', { name: 'Delete row' }).click({ trial: true })
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1280, height: 720 })
    await stores(path, [
      [`their ${ids[0]}`, 36],
      [`their ${ids[1]}`, 5],
      ['my Bob', 41],
    ])
    await cell(0).and(page.locator('.cell-disputed')).getByText('my Ada').waitFor()
    await page.getByRole('button', { name: 'Decide…' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Unsaved values' })
    const first = dialog.getByRole('group', { name: 'Name, row 1' })
    await first.waitFor()
    expect(await dialog.getByRole('listitem').first().textContent()).toMatch(/their.*my Ada/)
    expect(await findViolations(page)).toEqual([])
    await first.getByRole('button', { name: 'Keep theirs' }).focus()
    await page.keyboard.press('Enter')
    await first.waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Keep mine' }).focus()
    await page.keyboard.press('Space')
    await dialog.waitFor({ state: 'detached' })
    await stores(path, [
      [`their ${ids[0]}`, 36],
      ['my Zoe', 5],
      ['my Bob', 41],
    ])
    await cell(0).getByText(`their ${ids[0]}`).waitFor()
    await page.locator('.unsaved.none').waitFor({ state: 'attached' })
    expect(await page.locator('.cell-disputed, .cell-waiting').count()).toBe(0)
  })

  it('are kept with the reason when their row has been deleted', async () => {
    const path = await openTable('Gone')
    const { body } = await rest.get<{ records: { id: number }[] }>(path)
    await goAway()
    await cell(0, 'Age').click()
    await enter('37')
    await says('1 cell is not saved')
    await rest.post(`${path}/delete`, { body: [body.records[0]?.id] })
    await comeBack()
    await page.getByRole('button', { name: 'Decide…' }).click()
    const dialog = unsaved()
    await dialog.getByText('37').waitFor()
    expect(await dialog.getByRole('button', { name: 'Retry' }).count()).toBe(1)
    await discard('Discard')
    await dialog.waitFor({ state: 'detached' })
    await stores(path, [
      ['Zoe', 5],
      ['Bob', 41],
    ])
  })
})

describe('cells that wait for the server', () => {
  it('are listed, and discarded one by one or together', async () => {
    const path = await openTable('Listed')
    await goAway()
    await cell(0).click()
    await enter('Grace')
    await enter('Mia')
    await enter('Rob')
    await says('3 cells are not saved, trying again…')
    await page.getByRole('button', { name: 'Show…' }).click()
    await unsaved().getByRole('group', { name: 'Name, row 3' }).waitFor()
    expect(await unsaved().getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/Name, row 1.*Listed.*Grace/),
      expect.stringMatching(/Name, row 2.*Listed.*Mia/),
      expect.stringMatching(/Name, row 3.*Listed.*Rob/),
    ])
    expect(await findViolations(page)).toEqual([])
    await discard('Discard')
    await says('2 cells are not saved, trying again…')
    await cell(0).getByText('Ada').waitFor()
    await discard('Discard all')
    await page.locator('.unsaved.none').waitFor({ state: 'attached' })
    await cell(1).getByText('Zoe').waitFor()
    await comeBack()
    await cell(2).click()
    await enter('Robert')
    await stores(path, [
      ['Ada', 36],
      ['Zoe', 5],
      ['Robert', 41],
    ])
  })
})

describe('a cell that the server always fails to save', () => {
  const failFor = (text: string) =>
    page.route(isWrite, (route) =>
      route.request().postData()?.includes(text)
        ? route.fulfill({ status: 500, json: { error: 'internal error', details: {} } })
        : route.fallback(),
    )
  const tryUntil = (text: string) =>
    eventually(async () => {
      const again = page.getByRole('button', { name: 'Try now' })
      if (await again.isVisible()) await again.click({ timeout: 1_000 }).catch(() => {})
      return page.getByRole('banner').getByText(text).isVisible()
    }, patience)

  it('is set aside with the reason, while later cells are saved, until it is retried', async () => {
    const path = await openTable('Poisoned')
    await failFor('poison')
    await cell(0).click()
    await enter('poison')
    await enter('Mia')
    await tryUntil('1 cell could not be saved.')
    await stores(path, [
      ['Ada', 36],
      ['Mia', 5],
      ['Bob', 41],
    ])
    await cell(0).and(page.locator('.cell-disputed')).getByText('poison').waitFor()
    await page.getByRole('button', { name: 'Decide…' }).click()
    await unsaved().getByText('internal error').waitFor()
    expect(await findViolations(page)).toEqual([])
    await comeBack()
    await unsaved().getByRole('button', { name: 'Retry' }).click()
    await stores(path, [
      ['poison', 36],
      ['Mia', 5],
      ['Bob', 41],
    ])
    await page.locator('.unsaved.none').waitFor({ state: 'attached' })
  })
})

describe('cells whose column is changed while the server is away', () => {
  const changeTo = async (id: string, name: string, path: string) => {
    await openTable(id)
    await goAway()
    await cell(0).click()
    await enter('mine')
    await says('1 cell is not saved, trying again…')
    const { body } = await rest.get<{ records: { id: number }[] }>(path)
    const records = [{ id: body.records[0]?.id, fields: { Name: name } }]
    await rest.patch(path, { body: { records } })
    await comeBack()
    await says('1 cell is not saved: your decision is needed.')
  }

  it('are sent to the renamed column', async () => {
    const path = `${doc}/tables/Renamed`
    await changeTo('Renamed', 'theirs', `${path}/records`)
    await rest.patch(`${path}/columns`, {
      body: { columns: [{ id: 'Name', fields: { colId: 'Title' } }] },
    })
    await cell(0, 'Title').getByText('theirs').waitFor()
    await page.getByRole('button', { name: 'Decide…' }).click()
    await unsaved().getByRole('button', { name: 'Keep mine' }).click()
    await cell(0, 'Title').getByText('mine').waitFor()
    await eventually(async () => {
      const { body } = await rest.get<{ records: { fields: unknown }[] }>(`${path}/records`)
      expect(body.records[0]?.fields).toEqual({ Title: 'mine', Age: 36 })
    }, patience)
    await page.locator('.unsaved.none').waitFor({ state: 'attached' })
  })

  it('can be copied when the column was deleted', async () => {
    const path = `${doc}/tables/Dropped`
    await changeTo('Dropped', 'theirs', `${path}/records`)
    await rest.delete(`${path}/columns/Name`)
    await cell(0, 'Name').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Decide…' }).click()
    await unsaved().getByText('The column was deleted.').waitFor()
    await unsaved()
      .getByRole('textbox', { name: 'value of Name, row 1' })
      .getByText('mine')
      .waitFor()
    await unsaved().getByRole('button', { name: 'Copy value of Name, row 1' }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await discard('Discard')
    await page.locator('.unsaved.none').waitFor({ state: 'attached' })
  })
})

describe('a cell whose editor is open', () => {
  const field = () => page.locator('.cell-field')

  it('keeps what someone else has entered in it meanwhile, unless it is decided otherwise', async () => {
    const path = await openTable('Opened')
    const { body } = await rest.get<{ records: { id: number }[] }>(path)
    const id = body.records[0]?.id
    const change = async (Name: string, Age: number) => {
      await rest.patch(path, { body: { records: [{ id, fields: { Name, Age } }] } })
      await cell(0, 'Age').getByText(String(Age), { exact: true }).waitFor()
    }
    await cell(0).click()
    await page.keyboard.press('Enter')
    await field().waitFor()
    await change('their Ada', 50)
    // Nothing was typed, and nothing is written.
    await page.keyboard.press('Enter')
    await field().waitFor({ state: 'detached' })
    await cell(0).getByText('their Ada').click()
    await page.keyboard.type('my Ada')
    await eventually(async () => (await field().inputValue()) === 'my Ada', patience)
    await change('Ada L.', 51)
    await page.keyboard.press('Enter')
    await says('1 cell is not saved: your decision is needed.')
    await stores(path, [
      ['Ada L.', 51],
      ['Zoe', 5],
      ['Bob', 41],
    ])
    await page.getByRole('button', { name: 'Decide…' }).click()
    await page.getByRole('button', { name: 'Keep theirs' }).click()
    await cell(0).getByText('Ada L.').waitFor()
  })

  it('stays open when another row is deleted, and its text goes into its own row', async () => {
    const path = await openTable('Shortened')
    const { body } = await rest.get<{ records: { id: number }[] }>(path)
    await cell(2).click()
    await page.keyboard.type('Robert')
    await eventually(async () => (await field().inputValue()) === 'Robert', patience)
    await rest.post(`${path}/delete`, { body: [body.records[0]?.id] })
    await page.getByText('2 rows', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await stores(path, [
      ['Zoe', 5],
      ['Robert', 41],
    ])
  })
})
