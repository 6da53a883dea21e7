import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Locator, Page } from 'playwright-core'
import { addRecords, newDocument, readRecords } from '../support/system'
import { requireOk } from '../support/webhooks'
import { findUrl, patience, useChromium, type Visit } from './chromium'

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

afterEach(() => page.unrouteAll({ behavior: 'wait' }))

const choices = { type: 'Choice', widgetOptions: JSON.stringify({ choices: ['a', 'b'] }) }

/** Opens a table with a column of choices. Returns the path of its document in the API. */
async function openTable(): Promise<string> {
  const doc = await newDocument(rest, 'Meanwhile')
  const table = { id: 'Things', columns: [{ id: 'Kind', fields: choices }] }
  requireOk(await rest.post(`${doc}/tables`, { body: { tables: [table] } }))
  await addRecords(rest, `${doc}/tables/Things`, [{ Kind: 'a' }, { Kind: 'b' }])
  await page.goto(`${await findUrl(sheaf, rest, doc)}/tables/Things`)
  await page.getByRole('gridcell').first().waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  return doc
}

/** Renames a choice in the panel of the column, without saving it. */
async function editColumn(): Promise<void> {
  await page.getByRole('button', { name: 'Column menu: Kind', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Edit column…' }).click()
  await panel.getByLabel('Name of choice 1').fill('z')
}

async function save(): Promise<void> {
  await panel.getByRole('button', { name: 'Save', exact: true }).click()
  await panel.waitFor({ state: 'detached' })
}

/** Renames the table. The list of tables reaches the page later than what else it reads. */
async function rename(doc: string): Promise<void> {
  await page.route(/\/tables$/, async (route) => {
    for (let call = 0; call < 5; call++) await rest.get(`${doc}/tables`)
    await route.continue().catch(() => {})
  })
  const tables = [{ id: 'Things', fields: { tableId: 'Items' } }]
  requireOk(await rest.patch(`${doc}/tables`, { body: { tables } }))
}

describe('an open column panel', () => {
  it('is saved after someone else has renamed the column', async () => {
    const path = `${await openTable()}/tables/Things`
    await editColumn()
    const columns = [{ id: 'Kind', fields: { label: 'Sort' } }]
    requireOk(await rest.patch(`${path}/columns`, { body: { columns } }))
    await panel.getByText('Column id in the API: Sort').waitFor()
    await save()
    await eventually(async () => {
      const rows = await readRecords(rest, path)
      expect(rows.map(({ fields }) => fields)).toEqual([{ Sort: 'z' }, { Sort: 'b' }])
    }, patience)
    expect(desk.faults).toEqual([])
  })
  it('keeps its edits when someone else renames the table', async () => {
    const doc = await openTable()
    await editColumn()
    await rename(doc)
    await page.waitForURL(/\/tables\/Items$/)
    await panel.getByLabel('Name of choice 1').waitFor()
    expect(await panel.getByLabel('Name of choice 1').inputValue()).toBe('z')
    await save()
    await eventually(async () => {
      const rows = await readRecords(rest, `${doc}/tables/Items`)
      expect(rows.map(({ fields }) => fields)).toEqual([{ Kind: 'z' }, { Kind: 'b' }])
    }, patience)
    await page.reload()
    await page.getByRole('gridcell').first().waitFor()
    expect(await panel.count()).toBe(0)
  })
})

describe('a form', () => {
  it('keeps its edits when someone else renames the table', async () => {
    const doc = await openTable()
    const form = { name: 'Ask', type: 'form', form: { fields: [{ id: 'Kind' }] } }
    const body = { views: [{ fields: form }] }
    const views = `${doc}/tables/Things/views`
    const made = requireOk(await rest.post<{ views: { id: number }[] }>(views, { body }))
    await page.goto(`${page.url()}?view=${made.views[0]?.id}`)
    await page.getByLabel('Title').fill('Mine')
    await rename(doc)
    await page.waitForURL(/\/tables\/Items\?view=/)
    await page.getByLabel('Title').waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Mine')
    await page.getByRole('button', { name: 'Save form' }).click()
    await eventually(async () => {
      const stored = await rest.get<{ views: object[] }>(`${doc}/tables/Items/views`)
      expect(stored.body.views).toMatchObject([{ fields: { form: { title: 'Mine' } } }])
    }, patience)
  })
})
