import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import type { RunningSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { findUrl, findViolations, signIn, useChromium, type Visit } from './chromium'

/** Generous, because the machine may be busy with other tests. */
const patience = { timeoutMs: 60_000, everyMs: 100 }

const { visit, openDesk } = useChromium()
let sheaf: RunningSheaf
let desk: Visit
let page: Page
let rest: Rest
let doc: string
/** URL of the document. */
let address: string
beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openDesk())
})
beforeEach(async () => {
  doc = await newDocument(rest, 'Flowers')
  await addTable(rest, doc, 'Kinds', { Name: 'Text' })
  await addRecords(rest, `${doc}/tables/Kinds`, [{ Name: 'Bush' }])
  await addTable(rest, doc, 'Beds', { Name: 'Text', Size: 'Int', Kind: 'Ref:Kinds' })
  await addRecords(rest, `${doc}/tables/Beds`, [{ Name: 'Roses', Size: 3, Kind: 1 }])
  address = await findUrl(sheaf, rest, doc)
})

const patch = (table: string, fields: object, as = rest) =>
  as.patch(`${doc}/tables/${table}/records`, { body: { records: [{ id: 1, fields }] } })
const sizes = async () =>
  (await readRecords(rest, `${doc}/tables/Beds`)).map(({ fields }) => fields.Size)
const latestSeq = async () =>
  (await rest.get<{ changes: { seq: number }[] }>(`${doc}/history?limit=1`)).body.changes[0]?.seq ??
  0
const refOf = async (table: string) => {
  const { tables } = (
    await rest.get<{ tables: { id: string; fields: { tableRef: number } }[] }>(`${doc}/tables`)
  ).body
  return tables.find(({ id }) => id === table)?.fields.tableRef
}
const bar = () => page.getByRole('region', { name: 'Former moment' })
const slider = () => bar().getByRole('slider', { name: 'Moment' })
const button = (name: string) => bar().getByRole('button', { name })
const dialog = () => page.getByRole('dialog')
const cell = (column: string) => page.locator(`.ag-row[row-index="0"] [col-id="${column}"]`)
const shows = (column: string, text: string) =>
  eventually(async () => expect(await cell(column).textContent()).toBe(text), patience)
const rowCount = (count: string) => page.locator('.grid-foot').getByText(count).waitFor()

describe('a former moment', () => {
  it('is opened from the history, shows all values of then, and cannot be edited', async () => {
    const { email, key } = await sheaf.createUser('ada@example.com', 'Ada')
    const body = { delta: { users: { [email]: 'editors' } } }
    await rest.patch(`${doc}/access`, { body })
    await patch('Beds', { Size: 4 }, createRest(sheaf.url, key))
    const then = await latestSeq()
    await patch('Beds', { Size: 5 })
    await patch('Kinds', { Name: 'Tree' })
    await page.goto(`${address}/history`)
    const links = page.getByRole('link', { name: /^View at this moment/ })
    await links.first().waitFor()
    // All but the latest change have one.
    expect(await links.count()).toBe((await page.locator('.changes > li').count()) - 1)
    await page.getByRole('link', { name: `View at this moment: change ${then}` }).click()
    await page.waitForURL(`${address}/tables/Beds?asOf=${then}`)
    await shows('Size', '4')
    await shows('Kind', 'Bush')
    await bar()
      .getByText(/^You are viewing this document as of .+ \(change \d+ by Ada\)$/)
      .waitFor()
    await bar().getByText('Ada changed row 1 in Beds').waitFor()
    expect(await findViolations(page)).toEqual([])

    for (const name of ['Add row', 'Add column', 'Add table'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    await cell('Size').dblclick()
    await page.keyboard.press('Delete')
    await page.keyboard.type('9')
    expect(await page.locator('.cell-field').count()).toBe(0)
    await page.locator('.ag-header-cell[col-id="Size"]').getByRole('button').click()
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Sort ascending',
      'Sort descending',
      'Filter…',
    ])
    await page.keyboard.press('Escape')
    expect(await sizes()).toEqual([5])

    await page.getByRole('link', { name: 'Kinds' }).click()
    await page.waitForURL(`${address}/tables/Kinds?asOf=${then}`)
    await shows('Name', 'Bush')
    await page.reload()
    await shows('Name', 'Bush')
    await page.getByRole('link', { name: 'Back to the present' }).click()
    await page.waitForURL(`${address}/tables/Kinds`)
    await shows('Name', 'Tree')
    await page.getByText('Live', { exact: true }).waitFor()
    expect(desk.faults).toEqual([])
  })

  it('is selected by the keyboard with the slider, and by buttons', async () => {
    await patch('Beds', { Size: 4 })
    await patch('Beds', { Size: 5 })
    const latest = await latestSeq()
    await page.goto(`${address}/tables/Beds?asOf=${latest - 2}`)
    await shows('Size', '3')
    await slider().press('ArrowRight')
    await page.waitForURL(`${address}/tables/Beds?asOf=${latest - 1}`)
    await shows('Size', '4')
    const text = await slider().getAttribute('aria-valuetext')
    expect(text).toMatch(/^Change \d+, .+: You changed row 1 in Beds$/)
    await slider().press('End')
    await shows('Size', '5')
    expect(await button('Newer').getAttribute('aria-disabled')).toBe('true')
    await button('Older').click()
    await button('Older').click()
    await page.waitForURL(`${address}/tables/Beds?asOf=${latest - 2}`)
    await shows('Size', '3')
    await slider().press('Home')
    await page.getByText('There was no table Beds at this moment').waitFor()
    expect(new URL(page.url()).searchParams.get('asOf')).toBe('1')
    await button('Newer').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${address}/tables/Beds?asOf=2`)
  })

  it('follows a table that was renamed', async () => {
    await rest.patch(`${doc}/tables`, {
      body: { tables: [{ id: 'Beds', fields: { tableId: 'Plots' } }] },
    })
    const latest = await latestSeq()
    await page.goto(`${address}/tables/Plots?asOf=${latest}`)
    await shows('Size', '3')
    await button('Older').click()
    await page.waitForURL(`${address}/tables/Beds?asOf=${latest - 1}`)
    await shows('Size', '3')
    await page.getByRole('link', { name: 'Back to the present' }).click()
    await page.waitForURL(`${address}/tables/Plots`)
  })

  it('that does not exist is explained, with the way back', async () => {
    await page.goto(`${address}/tables/Beds?asOf=9999`)
    await page.getByText('This document has no moment “9999”').waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'View the oldest moment' }).click()
    await page.waitForURL(/asOf=1$/)
    await page.goto(`${address}/tables/Beds?asOf=yesterday`)
    await page.getByText('This document has no moment “yesterday”').waitFor()
    await page.getByRole('link', { name: 'Back to the present' }).click()
    await page.waitForURL(/tables\/[^?]+$/)
  })

  it('is not shown to viewers, with an explanation', async () => {
    const { email } = await sheaf.createUser('vera@example.com', 'Vera')
    const body = { delta: { users: { [email]: 'viewers' } } }
    await rest.patch(`${doc}/access`, { body })
    await using other = await visit()
    await signIn(other, sheaf, email)
    await other.page.goto(`${address}/tables/Beds?asOf=2`)
    await other.page.getByText('Only editors can view former moments').waitFor()
    expect(await findViolations(other.page)).toEqual([])
    await other.page.getByRole('link', { name: 'Back to the present' }).click()
    await other.page.locator('.grid-foot').getByText('Live').waitFor()
  })
})

describe('restoring', () => {
  it('a table shows first what would change, and leaves other tables as they are', async () => {
    const then = await latestSeq()
    await patch('Beds', { Size: 5 })
    await addRecords(rest, `${doc}/tables/Beds`, [{ Name: 'Tulips' }])
    await patch('Kinds', { Name: 'Tree' })
    await page.goto(`${address}/tables/Beds?asOf=${then}`)
    await button('Restore this table').click()
    await dialog().getByText('changed row 1 in Beds').waitFor()
    const size = dialog().getByRole('row').filter({ hasText: 'Beds 1' })
    await size.waitFor()
    expect(await size.getByRole('cell').allInnerTexts()).toEqual(['Size', '5', '3'])
    await dialog().getByText('deleted row 2 from Beds').waitFor()
    expect(await findViolations(page)).toEqual([])
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    expect(await sizes()).toEqual([5, 0])

    await button('Restore this table').click()
    await dialog().getByRole('button', { name: 'Restore table' }).click()
    await page.getByText('You can undo this in the history.').waitFor()
    await page.waitForURL(`${address}/tables/Beds`)
    await shows('Size', '3')
    await rowCount('1 row')
    expect(await sizes()).toEqual([3])
    const [kind] = await readRecords(rest, `${doc}/tables/Kinds`)
    expect(kind?.fields.Name).toBe('Tree')
    expect(desk.faults.filter((text) => !text.includes('400'))).toEqual([])
  })

  it('a document brings deleted tables back', async () => {
    const then = await latestSeq()
    await rest.post(`${doc}/tables/_grist_Tables/data/delete`, { body: [await refOf('Beds')] })
    await page.goto(`${address}/tables/Beds?asOf=${then}`)
    await shows('Size', '3')
    await button('Restore document').click()
    await dialog().getByText('added table Beds with row 1').waitFor()
    await dialog().getByRole('button', { name: 'Restore document' }).click()
    await page.waitForURL(`${address}/tables/Beds`)
    await shows('Size', '3')
    await page.getByText('Live', { exact: true }).waitFor()
  })

  it('is not offered when nothing differs, and shows the changes again when there are new ones', async () => {
    await patch('Beds', { Size: 4 })
    const latest = await latestSeq()
    await page.goto(`${address}/tables/Beds?asOf=${latest}`)
    await button('Restore this table').click()
    await dialog().getByText('Nothing would change').waitFor()
    const submit = dialog().getByRole('button', { name: 'Restore table' })
    expect(await submit.isDisabled()).toBe(true)
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await patch('Beds', { Size: 5 })
    await button('Restore this table').click()
    await dialog().getByText('changed row 1 in Beds').waitFor()
    await addRecords(rest, `${doc}/tables/Beds`, [{ Name: 'Tulips' }])
    await submit.click()
    await dialog().getByText('The document has changed in the meantime').waitFor()
    await dialog().getByText('deleted row 2 from Beds').waitFor()
    expect(await sizes()).toEqual([5, 0])
    await submit.click()
    await page.waitForURL(`${address}/tables/Beds`)
    expect(await sizes()).toEqual([4])
  })
})
