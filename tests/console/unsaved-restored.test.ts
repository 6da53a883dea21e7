import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { BrowserContext, Page } from 'playwright-core'
import { addRecords, addTable, newDocument } from '../support/system'
import { findUrl, findViolations, patience, useChromium } from './chromium'
import {
  cellOf,
  enterIn,
  forgetAll,
  isForgotten,
  isKept,
  isWrite,
  namesIn,
  nothingWaits,
  openPeople,
  says,
} from './unsaved-values'

const chromium = useChromium()
let opened: Awaited<ReturnType<typeof chromium.openOwnDesk>>
let context: BrowserContext
let page: Page
let rest: Rest
let doc: string
let docUrl: string
beforeAll(async () => {
  opened = await chromium.openOwnDesk()
  context = opened.desk.context
  rest = opened.rest
  doc = await newDocument(rest, 'Plan')
  docUrl = await findUrl(opened.sheaf, rest, doc)
  // It would take over what other pages leave.
  await opened.page.goto('about:blank')
})
beforeEach(async () => {
  page = await context.newPage()
})
afterEach(async () => {
  await context.unrouteAll()
  for (const one of context.pages()) if (one !== opened.page) await one.close()
  await forgetAll(opened.page, opened.sheaf.url)
})

const goAway = () => context.route(isWrite, (route) => route.abort())
const comeBack = () => context.unroute(isWrite)

const openTable = (id: string) => openPeople(page, { rest, doc, docUrl }, id)

const enter = (row: number, text: string) => enterIn(page, row, text)

/** Closes the page, without a question, and opens another one. */
async function reopen(url: string): Promise<void> {
  await page.close()
  page = await context.newPage()
  await page.goto(url)
}

const names = (path: string) => namesIn(rest, path)

const stores = (path: string, expected: unknown[]) =>
  eventually(async () => expect(await names(path)).toEqual(expected), patience)

describe('values that wait when their page is closed', () => {
  it('wait in the next page, which names their document, and are saved once', async () => {
    const path = await openTable('Closed')
    await goAway()
    await enter(0, 'Grace')
    await enter(1, 'Mia')
    await says(page, '2 cells are not saved, trying again…')
    await isKept(page, 'Grace', 'Mia')
    await reopen(`${opened.sheaf.url}/console/`)
    await says(page, '2 cells in “Plan” are not saved, trying again…')
    const section = page.getByRole('region', { name: 'Not saved yet' })
    await section.getByText('2 cells in “Plan” are not saved yet.').waitFor()
    expect(await findViolations(page)).toEqual([])
    await section.getByRole('link', { name: 'Plan' }).click()
    await cellOf(page, 0).and(page.locator('.cell-waiting')).getByText('Grace').waitFor()
    await cellOf(page, 1).and(page.locator('.cell-waiting')).getByText('Mia').waitFor()
    await says(page, '2 cells are not saved, trying again…')
    await comeBack()
    await stores(path, ['Grace', 'Mia'])
    await nothingWaits(page)
    await isForgotten(page)
  })

  it('wait after the page has crashed, and the gateway was killed', async () => {
    const path = await openTable('Crashed')
    await goAway()
    await enter(0, 'Grace')
    await says(page, '1 cell is not saved')
    await isKept(page, 'Grace')
    const crashed = page.waitForEvent('crash')
    void page.goto('chrome://crash').catch(() => {})
    await crashed
    await page.close()
    const { sheaf } = opened
    await sheaf.restarted('gateway', await sheaf.kill('gateway'))
    await comeBack()
    page = await context.newPage()
    await page.goto(`${docUrl}/tables/Crashed`)
    await stores(path, ['Grace', 'Zoe'])
    await nothingWaits(page)
  })

  it('are for the user to decide where someone else has changed the cell, in each page that follows', async () => {
    const path = await openTable('Both')
    await goAway()
    await enter(0, 'my Ada')
    await says(page, '1 cell is not saved')
    await isKept(page, 'my Ada')
    await page.close()
    const { body } = await rest.get<{ records: { id: number }[] }>(`${path}/records`)
    const records = [{ id: body.records[0]?.id, fields: { Name: 'their Ada' } }]
    await rest.patch(`${path}/records`, { body: { records } })
    await comeBack()
    page = await context.newPage()
    await page.goto(`${opened.sheaf.url}/console/`)
    await says(page, '1 cell in “Plan” is not saved: your decision is needed.')
    await reopen(`${docUrl}/tables/Both`)
    await says(page, '1 cell is not saved: your decision is needed.')
    await cellOf(page, 0).and(page.locator('.cell-disputed')).getByText('my Ada').waitFor()
    await page.getByRole('button', { name: 'Decide…' }).click()
    const item = page.getByRole('dialog').getByRole('listitem')
    expect(await item.textContent()).toMatch(/Plan \/ Both.*their Ada.*my Ada/)
    await item.getByRole('button', { name: 'Keep mine' }).click()
    await stores(path, ['my Ada', 'Zoe'])
    await nothingWaits(page)
    await isForgotten(page)
  })

  it('are not written again over later changes if they were saved, and only the answer was lost', async () => {
    const path = await openTable('Lost')
    await context.route(isWrite, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await enter(0, 'Grace')
    await stores(path, ['Grace', 'Zoe'])
    await says(page, '1 cell is not saved')
    await isKept(page, 'Grace')
    await page.close()
    const { body } = await rest.get<{ records: { id: number }[] }>(`${path}/records`)
    const records = [{ id: body.records[0]?.id, fields: { Name: 'their Ada' } }]
    await rest.patch(`${path}/records`, { body: { records } })
    await comeBack()
    page = await context.newPage()
    await page.goto(`${docUrl}/tables/Lost`)
    await cellOf(page, 0).getByText('their Ada').waitFor()
    await isForgotten(page)
    await nothingWaits(page)
    expect(await names(path)).toEqual(['their Ada', 'Zoe'])
  })

  it('are sent by one of two pages, and by the other one once that is closed', async () => {
    const path = await openTable('Two')
    await goAway()
    const other = await context.newPage()
    await other.goto(`${docUrl}/tables/Two`)
    await cellOf(other, 1).getByText('Zoe').waitFor()
    let sent = 0
    other.on('request', (request) => (sent += isWrite(new URL(request.url())) ? 1 : 0))
    await enter(0, 'Grace')
    await says(page, '1 cell is not saved')
    const third = await context.newPage()
    await third.goto(`${docUrl}/tables/Two`)
    await cellOf(third, 1).getByText('Zoe').waitFor()
    await third.close()
    await nothingWaits(other)
    expect(sent).toBe(0)
    await isKept(page, 'Grace')
    await page.close()
    await says(other, '1 cell is not saved')
    await cellOf(other, 0).and(other.locator('.cell-waiting')).getByText('Grace').waitFor()
    await comeBack()
    await stores(path, ['Grace', 'Zoe'])
    await nothingWaits(other)
    await isForgotten(other)
  })
})

describe('values that wait when their page is reloaded', () => {
  it('wait in it, though another page is hidden behind it', async () => {
    const path = await openTable('Reloaded')
    await goAway()
    const hidden = await context.newPage()
    // It waits some seconds for a page that is reloaded, which takes longer on a busy machine: here until it is told to go on.
    await hidden.addInitScript(`
      const start = window.setTimeout
      window.waiting = []
      window.setTimeout = (handler, ms, ...rest) =>
        ms === 3000 ? waiting.push(handler) : start(handler, ms, ...rest)
    `)
    await hidden.goto(`${opened.sheaf.url}/console/`)
    await hidden.locator('.unsaved').waitFor({ state: 'attached' })
    await hidden.evaluate(`Object.defineProperty(document, 'hidden', { value: true })`)
    await enter(0, 'Grace')
    await says(page, '1 cell is not saved')
    await isKept(page, 'Grace')
    page.on('dialog', (dialog) => dialog.accept())
    await page.reload()
    await says(page, '1 cell is not saved')
    await cellOf(page, 0).and(page.locator('.cell-waiting')).getByText('Grace').waitFor()
    // Without it, the hidden page goes on.
    await page.close()
    await eventually(async () => {
      await hidden.evaluate('waiting.splice(0).forEach((goOn) => goOn())')
      const shown = hidden.getByRole('banner').getByText('1 cell in “Plan” is not saved')
      expect(await shown.count()).toBe(1)
    }, patience)
    await comeBack()
    await stores(path, ['Grace', 'Zoe'])
    await isForgotten(hidden)
  })
})

describe('values that wait for a table', () => {
  it('that was renamed are saved in it, though another table has its name now', async () => {
    const path = await openTable('Before')
    await goAway()
    await enter(0, 'Grace')
    await says(page, '1 cell is not saved')
    await isKept(page, 'Grace')
    await page.close()
    await rest.patch(`${doc}/tables`, {
      body: { tables: [{ id: 'Before', fields: { tableId: 'After' } }] },
    })
    await addTable(rest, doc, 'Before', { Name: 'Text', Age: 'Int' })
    await addRecords(rest, path, [{ Name: 'Ada', Age: 1 }])
    await comeBack()
    page = await context.newPage()
    await page.goto(docUrl)
    await stores(`${doc}/tables/After`, ['Grace', 'Zoe'])
    expect(await names(path)).toEqual(['Ada'])
    await nothingWaits(page)
  })

  it('that was renamed while its page is open are shown and saved in it', async () => {
    await openTable('Old')
    await goAway()
    await enter(0, 'Grace')
    await says(page, '1 cell is not saved')
    await rest.patch(`${doc}/tables`, {
      body: { tables: [{ id: 'Old', fields: { tableId: 'New' } }] },
    })
    await page.waitForURL(/\/tables\/New/)
    await cellOf(page, 0).and(page.locator('.cell-waiting')).getByText('Grace').waitFor()
    await comeBack()
    await stores(`${doc}/tables/New`, ['Grace', 'Zoe'])
    await nothingWaits(page)
  })

  it('that was deleted can be copied', async () => {
    await openTable('Deleted')
    await goAway()
    await enter(0, 'Grace')
    await says(page, '1 cell is not saved')
    const operations = [{ op: 'removeTables', tables: [{ id: 'Deleted' }] }]
    await rest.post(`${doc}/batch`, { body: { operations } })
    await comeBack()
    await says(page, '1 cell could not be saved.')
    await isKept(page, 'Grace')
    await reopen(docUrl)
    await says(page, '1 cell could not be saved.')
    await page.getByRole('button', { name: 'Decide…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Unsaved values' })
    await dialog.getByText('The table was deleted.').waitFor()
    const value = dialog.getByRole('textbox', { name: 'value of Name, row 1' })
    await value.getByText('Grace').waitFor()
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Discard', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Discard what you entered?' })
    await question.getByRole('button', { name: 'Discard', exact: true }).click()
    await nothingWaits(page)
    await isForgotten(page)
  })
})

describe('values that the browser does not store', () => {
  it('are said to be in the page only, while they wait and when they are for the user to decide', async () => {
    await page.addInitScript(`Object.defineProperty(window, 'indexedDB', { value: undefined })`)
    const path = await openTable('Volatile')
    await goAway()
    await enter(0, 'mine')
    await says(page, '1 cell is not saved, trying again… Keep this page open.')
    const { body } = await rest.get<{ records: { id: number }[] }>(`${path}/records`)
    const records = [{ id: body.records[0]?.id, fields: { Name: 'theirs' } }]
    await rest.patch(`${path}/records`, { body: { records } })
    await comeBack()
    await says(page, '1 cell is not saved: your decision is needed. Keep this page open.')
  })
})

describe('a value of a deleted table', () => {
  it('stays when that of another table with its name is decided about', async () => {
    const dispute = async (reason: () => Promise<unknown>, text: string) => {
      const path = await openTable('Twice')
      await goAway()
      await enter(0, text)
      await says(page, '1 cell is not saved')
      const { body } = await rest.get<{ records: { id: number }[] }>(`${path}/records`)
      const records = [{ id: body.records[0]?.id, fields: { Name: 'theirs' } }]
      await rest.patch(`${path}/records`, { body: { records } })
      await reason()
      await comeBack()
    }
    const operations = [{ op: 'removeTables', tables: [{ id: 'Twice' }] }]
    await dispute(() => rest.post(`${doc}/batch`, { body: { operations } }), 'of the first')
    await says(page, '1 cell could not be saved.')
    await isKept(page, 'of the first')
    await page.close()
    page = await context.newPage()
    await dispute(async () => {}, 'of the second')
    await says(page, '2 cells are not saved: your decision is needed.')
    await page.getByRole('button', { name: 'Decide…' }).click()
    await page.getByRole('button', { name: 'Keep theirs' }).click()
    await says(page, '1 cell could not be saved.')
    const dialog = page.getByRole('dialog', { name: 'Unsaved values' })
    await dialog.getByText('of the first').waitFor()
    await dialog.getByRole('button', { name: 'Discard', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Discard what you entered?' })
    await question.getByRole('button', { name: 'Discard', exact: true }).click()
    await isForgotten(page)
  })
})
