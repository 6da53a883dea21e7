import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { addRecords, addTable, emailOf, newDocument, readRecords } from '../support/system'
import { findUrl, findViolations, patience, signIn, useChromium, type Visit } from './chromium'

const { visit, openDesk } = useChromium()
let sheaf: UsableSheaf
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
const colRefOf = async (id: string) => {
  type Columns = { columns: { id: string; fields: { colRef: number } }[] }
  const { columns } = (await rest.get<Columns>(`${doc}/tables/Beds/columns`)).body
  return columns.find((column) => column.id === id)?.fields.colRef
}
interface Beds {
  readonly records: readonly { readonly fields: Readonly<Record<string, unknown>> }[]
}
/** All beds, with the hidden column of their positions. */
const allBeds = async () =>
  (await rest.get<Beds>(`${doc}/tables/Beds/records?hidden=true`)).body.records
const bar = () => page.getByRole('region', { name: 'Former moment' })
const slider = () => bar().getByRole('slider', { name: 'Moment' })
const button = (name: string) => bar().getByRole('button', { name })
const dialog = () => page.getByRole('dialog')
const cell = (column: string) => page.locator(`.ag-row[row-index="0"] [col-id="${column}"]`)
const select = (row: number) =>
  page.locator(`.ag-row[row-index="${row}"] input[type=checkbox]`).check()
const shows = (column: string, text: string) =>
  eventually(async () => expect(await cell(column).textContent()).toBe(text), patience)
const rowCount = (count: string) => page.locator('.grid-foot').getByText(count).waitFor()

describe('a former moment', () => {
  it('is opened from the history, shows all values of then, and cannot be edited', async () => {
    const { email, key } = await sheaf.createUser(emailOf('ada'), 'Ada')
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
    await page.getByRole('menuitem').first().waitFor()
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Sort 1 → 9',
      'Sort 9 → 1',
      'Filter by this column…',
      'Filter by values…',
      'Group by this column',
      'Summary…',
      'Freeze up to this column',
      'Move left',
      'Move right',
      'Make wider',
      'Make narrower',
      'Fit width to contents',
      'Hide column',
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
    await eventually(async () => (await slider().getAttribute('max')) === String(latest), patience)
    await slider().press('ArrowRight')
    await page.waitForURL(`${address}/tables/Beds?asOf=${latest - 1}`)
    await shows('Size', '4')
    await eventually(async () => {
      const text = await slider().getAttribute('aria-valuetext')
      expect(text).toMatch(/^Change \d+, .+: You changed row 1 in Beds$/)
    }, patience)
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
    const { email } = await sheaf.createUser(emailOf('vera'), 'Vera')
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
    const size = dialog().getByRole('row').filter({ hasText: 'Beds, row 1' })
    await size.waitFor()
    await eventually(async () => {
      expect(await size.getByRole('cell').allInnerTexts()).toEqual(['Size', '5', '3'])
    }, patience)
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

  it('rows brings back their cells and ids, with all other rows as they are, and can be undone', async () => {
    const columns = [
      { id: 'Area', fields: { type: 'Int', isFormula: true, formula: '$Size * 2' } },
      // Runs when the size changes, and in new rows.
      {
        id: 'Note',
        fields: {
          type: 'Text',
          isFormula: false,
          formula: '"sized"',
          recalcDeps: `[${await colRefOf('Size')}]`,
        },
      },
    ]
    await rest.post(`${doc}/tables/Beds/columns`, { body: { columns } })
    const beds = [
      { Name: 'Tulips', Size: 4, Kind: 1, Note: 'shady' },
      { Name: 'Lilies', Size: 5 },
      // Text, although it can be read as a reference.
      { Name: 'Ferns', Size: 6, Kind: 'Bush' },
    ].map((fields) => ({ fields }))
    await rest.post(`${doc}/tables/Beds/records?noparse=true`, { body: { records: beds } })
    await rest.patch(`${doc}/tables/Beds/records`, {
      body: { records: [{ id: 2, fields: { Note: 'shady' } }] },
    })
    const then = await latestSeq()
    const before = await allBeds()
    await patch('Beds', { Name: 'Weeds', Size: 1 })
    await rest.post(`${doc}/tables/Beds/records/delete`, { body: [2] })
    await rest.patch(`${doc}/tables/Beds/records`, {
      body: {
        records: [
          { id: 3, fields: { Size: 50 } },
          { id: 4, fields: { Size: 60 } },
        ],
      },
    })
    const changed = await allBeds()
    expect(before[3]?.fields.Kind).toBe('Bush')
    await page.goto(`${address}/tables/Beds?asOf=${then}`)
    await shows('Size', '3')
    const restoring = page.getByRole('button', { name: /^Restore \d* ?rows?$/ })
    expect(await restoring.count()).toBe(0)
    await select(0)
    await page.getByRole('button', { name: 'Restore row' }).waitFor()
    await select(1)
    await select(3)
    await page.getByText('4 rows, 3 selected').waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Restore 3 rows' }).press('Enter')
    await dialog().getByRole('heading', { name: 'Restore 3 rows of Beds?' }).waitFor()
    await dialog().getByText('added row 2 to Beds and changed').waitFor()
    const row = dialog().getByRole('row').filter({ hasText: 'Beds, row 1' })
    await eventually(async () => {
      const cells = await row.allInnerTexts()
      expect(cells.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
        'Roses Beds, row 1 Name Weeds Roses',
        'Roses Beds, row 1 Size 1 3',
        'Roses Beds, row 1 Note sized empty',
        'Roses Beds, row 1 Area 2 6',
      ])
    }, patience)
    expect(await findViolations(page)).toEqual([])
    await dialog().getByRole('button', { name: 'Restore rows' }).click()
    await page.getByText(/^3 rows of Beds were restored to change \d+\. You can undo/).waitFor()
    await page.waitForURL(`${address}/tables/Beds`)
    await shows('Size', '3')
    await rowCount('4 rows')
    const [one, two, , four] = before
    expect(await allBeds()).toEqual([one, two, changed[1], four])
    await rest.post(`${doc}/changes/${await latestSeq()}/revert`)
    expect(await allBeds()).toEqual(changed)
    expect(desk.faults.filter((text) => !text.includes('400'))).toEqual([])
  })

  it('rows names the columns that cannot be restored, and follows a renamed table', async () => {
    const then = await latestSeq()
    await patch('Beds', { Name: 'Weeds', Size: 5 })
    await rest.patch(`${doc}/tables`, {
      body: { tables: [{ id: 'Beds', fields: { tableId: 'Plots' } }] },
    })
    await rest.delete(`${doc}/tables/Plots/columns/Size`)
    await page.goto(`${address}/tables/Beds?asOf=${then}`)
    await shows('Size', '3')
    // By the keyboard.
    await cell('Name').click()
    await page.keyboard.press('Shift+Space')
    await page.getByRole('button', { name: 'Restore row' }).click()
    await dialog().getByText('changed row 1 in Plots').waitFor()
    await dialog()
      .getByText('Not restored, because deleted or of another type since: Size')
      .waitFor()
    await dialog().getByRole('button', { name: 'Restore row' }).click()
    await page.waitForURL(`${address}/tables/Plots`)
    await shows('Name', 'Roses')
  })

  it('rows is not offered when their table was deleted', async () => {
    const then = await latestSeq()
    await rest.post(`${doc}/tables/_grist_Tables/data/delete`, { body: [await refOf('Beds')] })
    const present = page.waitForResponse((response) => response.url().endsWith('/tables'))
    await page.goto(`${address}/tables/Beds?asOf=${then}`)
    await (await present).finished()
    await shows('Size', '3')
    expect(await page.getByRole('checkbox').count()).toBe(0)
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
