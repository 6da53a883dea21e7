import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { addRecords, addTable, emailOf, newDocument, readRecords } from '../support/system'
import { requireOk } from '../support/webhooks'
import { findUrl, findViolations, patience, signIn, useChromium, type Visit } from './chromium'

const { visit, openDesk } = useChromium()
let sheaf: UsableSheaf
let desk: Visit
let page: Page
let rest: Rest
let doc: string
/** URL of the history. */
let address: string
beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openDesk())
})
beforeEach(async () => {
  doc = await newDocument(rest, 'Flowers')
  await addTable(rest, doc, 'Beds', { Name: 'Text', Size: 'Int', Sown: 'Date' })
  await addRecords(rest, `${doc}/tables/Beds`, [{ Name: 'Roses', Size: 3 }, { Name: 'Tulips' }])
  address = `${await findUrl(sheaf, rest, doc)}/history`
})

const patch = (id: number, fields: object, as = rest) =>
  as.patch(`${doc}/tables/Beds/records`, { body: { records: [{ id, fields }] } })
const sizes = async () =>
  (await readRecords(rest, `${doc}/tables/Beds`)).map(({ fields }) => fields.Size)
const item = (text: string) => page.getByRole('listitem').filter({ hasText: text }).first()
/** Opens the history. Resolves once it follows the changes of the document. */
async function openFollowed(): Promise<void> {
  const followed = page.waitForRequest((request) => /\/changes(\?|$)/.test(request.url()))
  await page.goto(address)
  await followed
}
const dialog = () => page.getByRole('dialog')

describe('the history', () => {
  it('shows who changed what, with each cell before and after, and undoes it', async () => {
    const { email, key } = await sheaf.createUser(emailOf('ada'), 'Ada')
    const body = { delta: { users: { [email]: 'editors' } } }
    await rest.patch(`${doc}/access`, { body })
    await patch(1, { Size: 4, Sown: '2026-03-01' }, createRest(sheaf.url, key))
    await page.goto(address)
    const change = item('changed row 1 in Beds')
    await change.getByText('Ada').waitFor()
    await item('You added 2 rows to Beds').waitFor()
    await item('You added table Beds').waitFor()
    // With the columns, by which its cells are formatted.
    await change.getByText('changed row 1 in Beds: Roses').waitFor()
    await change.locator('summary').click()
    const size = change.getByRole('row').filter({ hasText: 'Size' })
    await size.waitFor()
    expect(await size.getByRole('cell').allInnerTexts()).toEqual(['Size', '3', '4'])
    const sown = change.getByRole('row').filter({ hasText: 'Sown' })
    expect(await sown.getByRole('cell').allInnerTexts()).toEqual(['Sown', 'empty', 'Mar 1, 2026'])
    // The row is named by its first column, which opens it.
    const link = size.getByRole('link', { name: 'Roses', exact: true })
    expect(await link.getAttribute('href')).toMatch(/\/tables\/Beds\?row=1$/)
    expect(await findViolations(page)).toEqual([])

    await change.getByRole('button', { name: 'Undo change 4' }).click()
    expect(await findViolations(page)).toEqual([])
    await dialog().getByRole('button', { name: 'Undo' }).click()
    await dialog().waitFor({ state: 'detached' })
    await item('change 5').getByText('undo', { exact: true }).waitFor()
    expect(await sizes()).toEqual([3, null])
    expect(desk.faults).toEqual([])
  })

  it('names references by their rows, and shortens long names of rows', async () => {
    await addTable(rest, doc, 'Plans', { Bed: 'Ref:Beds', Year: 'Int' })
    await addRecords(rest, `${doc}/tables/Plans`, [{ Bed: 2, Year: 2027 }])
    await patch(1, { Name: 'Roses '.repeat(1_000) })
    await page.goto(address)
    const plan = item('added row 1 to Plans: Tulips')
    await plan.locator('summary').click()
    const bed = plan.getByRole('row').filter({ hasText: 'Bed' })
    await eventually(async () => {
      expect(await bed.getByRole('cell').allInnerTexts()).toEqual(['Bed', '', 'Tulips'])
    }, patience)
    const text = await item('changed row 1 in Beds: Roses Roses').locator('summary').innerText()
    expect(text.length).toBeLessThan(300)
  })

  it('names views, and shows their settings in words', async () => {
    const views = `${doc}/tables/Beds/views`
    const fields = { name: 'Large', filter: { Size: [3] }, sort: ['-Sown'] }
    const { body } = await rest.post<{ views: { id: number }[] }>(views, {
      body: { views: [{ fields }] },
    })
    const [view] = body.views
    const change = { id: view?.id, fields: { columns: [{ id: 'Name', hidden: true }] } }
    requireOk(await rest.patch(views, { body: { views: [change] } }))
    await page.goto(address)
    const linesOf = async (text: string, expected: readonly string[]) => {
      await item(text).locator('summary').click()
      const lines = item(text).getByRole('row')
      await eventually(async () => {
        const texts = (await lines.allInnerTexts()).slice(1)
        expect(texts.map((line) => line.split(/\s+/).join(' '))).toEqual(expected)
      }, patience)
    }
    const large = 'View “Large” of Beds'
    await linesOf('added a view: Large', [
      `${large} Name Large`,
      `${large} Filter Size = 3`,
      `${large} Sort order Sown ↓`,
    ])
    // The moment is shown in the table of the view, which is not the first.
    const moment = item('added a view: Large').getByRole('link', { name: /^View at this moment/ })
    const shownTable = new URL(String(await moment.getAttribute('href')), sheaf.url).searchParams
    const { body: found } = await rest.get<{ tables: { id: string; fields: object }[] }>(
      `${doc}/tables`,
    )
    expect(found.tables.find(({ id }) => id === 'Beds')?.fields).toMatchObject({
      tableRef: Number(shownTable.get('table')),
    })
    await linesOf('changed a view: Large', [`${large} Columns empty Name (hidden)`])
    expect(await findViolations(page)).toEqual([])
  })

  it('lists the conflicts of an undo, with links', async () => {
    await patch(1, { Size: 4 })
    await patch(1, { Size: 5 })
    await page.goto(address)
    await page.getByRole('button', { name: 'Undo change 4' }).click()
    await dialog().getByRole('button', { name: 'Undo' }).click()
    const reason = /change 4 cannot be undone, because later changes affect/
    await dialog().getByRole('alert').getByText(reason).waitFor()
    expect(await findViolations(page)).toEqual([])
    await dialog().getByRole('link', { name: 'row 1' }).click()
    await dialog().waitFor({ state: 'detached' })
    // The list of all changes has four, and is there until that of the row is.
    await eventually(async () => (await page.locator('.changes > li').count()) === 3)
    await item('change 3').waitFor()
    expect(await page.getByLabel('Row', { exact: true }).inputValue()).toBe('1')
    expect(await sizes()).toEqual([5, null])
  })

  it('is filtered by table and row in the URL', async () => {
    await addTable(rest, doc, 'Tools', { Name: 'Text' })
    await patch(2, { Size: 9 })
    await openFollowed()
    await item('added table Tools').waitFor()
    await page.getByLabel('Table', { exact: true }).selectOption('Beds')
    await item('added table Tools').waitFor({ state: 'detached' })
    await page.getByLabel('Row', { exact: true }).fill('2')
    await page.getByLabel('Row', { exact: true }).press('Enter')
    await page.waitForURL(/\?table=\d+&row=2$/)
    await item('change 5').waitFor()
    await page.reload()
    await item('change 5').waitFor()
    expect(await page.locator('.changes > li').count()).toBe(2)
    await page.getByLabel('Row', { exact: true }).fill('two')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByRole('alert').getByText('rowId parameter must be a positive integer').waitFor()
    expect(await page.getByLabel('Row', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  })

  it('describes schema changes, and shows the values of a removed column', async () => {
    const columns = `${doc}/tables/Beds/columns`
    await rest.patch(columns, { body: { columns: [{ id: 'Name', fields: { colId: 'Title' } }] } })
    await rest.delete(`${columns}/Size`)
    await page.goto(address)
    await item('renamed column Name in Beds to Title').waitFor()
    const removal = item('deleted column Size from Beds')
    await removal.locator('summary').click()
    const cell = removal.getByRole('row').filter({ hasText: 'Beds, row 1' })
    await cell.waitFor()
    expect(await cell.getByRole('cell').allInnerTexts()).toEqual(['Size', '3', ''])
    const addition = item('added table Beds')
    await addition.locator('summary').click()
    await addition.getByText('Name (Text), Size (Integer), Sown (Date)', { exact: true }).waitFor()
  })

  it('announces changes by others, and shows them on request', async () => {
    await openFollowed()
    await item('added 2 rows').waitFor()
    await patch(1, { Size: 7 })
    await page.getByRole('button', { name: '1 new change', exact: true }).waitFor()
    await patch(2, { Size: 8 })
    await page.getByRole('button', { name: '2 new changes' }).click()
    await item('changed row 2 in Beds').waitFor()
    await page.getByRole('button', { name: /new change/ }).waitFor({ state: 'detached' })
    await page.getByLabel('Table', { exact: true }).selectOption('Table1')
    await item('made').or(item('added table Table1')).waitFor()
    await patch(1, { Size: 9 })
    await eventually(async () => (await sizes())[0] === 9)
    await page.getByLabel('Table', { exact: true }).selectOption('Beds')
    await item('change 6').waitFor()
  })

  it('stays unchanged until new changes are requested, and announces only those that match the filter', async () => {
    await addTable(rest, doc, 'Tools', { Name: 'Text' })
    await page.goto(address)
    await item('added table Tools').waitFor()
    await patch(1, { Size: 7 })
    await page.getByRole('button', { name: '1 new change', exact: true }).waitFor()
    // As when the user returns to the browser tab.
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
    await addRecords(rest, `${doc}/tables/Tools`, [{ Name: 'Spade' }])
    await page.getByRole('button', { name: '2 new changes' }).waitFor()
    await page.getByLabel('Table', { exact: true }).selectOption('Beds')
    await item('change 5').waitFor()
    expect(await page.getByRole('button', { name: /new change/ }).count()).toBe(0)
  })

  it('is paged, with older changes shown on request', async () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ Name: `Bed ${index}`, Size: index }))
    await addRecords(rest, `${doc}/tables/Beds`, many)
    for (let size = 0; size < 25; size++) await patch(1, { Size: 100 + size })
    await page.goto(address)
    await item('change 29').waitFor()
    expect(await page.locator('.changes > li').count()).toBe(25)
    await page.getByRole('button', { name: 'Show older' }).click()
    const added = item('You added 60 rows to Beds')
    await added.locator('summary').click()
    await added.getByText('80 more cells not shown.').waitFor()
    await added.getByRole('button', { name: 'Show more cells' }).click()
    await added.getByRole('cell', { name: 'Bed 59' }).waitFor()
  })

  it('can be undone with the keyboard only', async () => {
    await patch(1, { Size: 4 })
    await page.goto(address)
    await page.getByRole('button', { name: 'Undo change 4' }).focus()
    await page.keyboard.press('Enter')
    await dialog().getByRole('button', { name: 'Undo' }).focus()
    await page.keyboard.press('Enter')
    await item('change 5').waitFor()
    expect(await sizes()).toEqual([3, null])
  })

  it('is not shown to viewers, with an explanation', async () => {
    const { email } = await sheaf.createUser(emailOf('vera'), 'Vera')
    const body = { delta: { users: { [email]: 'viewers' } } }
    expect((await rest.patch(`${doc}/access`, { body })).status).toBe(200)
    await using other = await visit()
    await signIn(other, sheaf, email)
    await other.page.goto(address)
    await other.page.getByText('Only editors can see the history').waitFor()
    expect(await findViolations(other.page)).toEqual([])
    expect(other.faults).toEqual([])
  })
})
