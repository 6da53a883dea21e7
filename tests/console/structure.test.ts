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
  ;({ sheaf, desk, page, rest } = await openDesk({ viewport: { width: 1400, height: 800 } }))
  doc = await newDocument(rest, 'Structure')
  await addTable(rest, doc, 'People', { Name: 'Text' })
  await addRecords(rest, `${doc}/tables/People`, [{ Name: 'Ada' }, { Name: '7' }])

  dialog = page.getByRole('dialog')
  const { body } = await rest.get<{ id: number }>(doc)
  await page.goto(`${sheaf.url}/console/docs/${body.id}/tables/People`)
})

interface Column {
  readonly id: string
  readonly fields: Readonly<Record<'label' | 'type' | 'description' | 'widgetOptions', string>>
}

const columns = async (table: string): Promise<string[]> => {
  const { body } = await rest.get<{ columns: Column[] }>(`${doc}/tables/${table}/columns`)
  return body.columns.map(({ id, fields }) => `${id} ${fields.type}`)
}

const tables = async (): Promise<string[]> => {
  const { body } = await rest.get<{ tables: { id: string }[] }>(`${doc}/tables`)
  return body.tables.map(({ id }) => id)
}

async function submit(name: string): Promise<void> {
  await dialog.getByRole('button', { name, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

async function chooseType(name: string): Promise<void> {
  await dialog.getByRole('button', { name: /^Type/ }).click()
  await dialog.getByRole('menuitemradio', { name, exact: true }).click()
}

async function choose(menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
  await dialog.waitFor()
}

describe('columns', () => {
  it('are added with a type and its options', async () => {
    await page.getByRole('gridcell', { name: 'Ada' }).waitFor()
    await page.locator('.row-buttons').getByRole('button', { name: 'Add column' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Favourite colour')
    await chooseType('Choice')
    await dialog.getByRole('button', { name: 'Add choice' }).click()
    await page.keyboard.type('Red')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Green')
    expect(await findViolations(page)).toEqual([])
    await submit('Add column')
    await page.getByRole('columnheader', { name: /Favourite colour/ }).waitFor()

    await page.locator('.row-buttons').getByRole('button', { name: 'Add column' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Friend')
    await chooseType('Reference')
    const add = dialog.getByRole('button', { name: 'Add column' })
    expect(await add.isDisabled()).toBe(true)
    await dialog.getByLabel('Table').selectOption('People')
    await dialog.getByLabel('Display column').selectOption({ label: 'Name' })
    expect(await findViolations(page)).toEqual([])
    await submit('Add column')

    await page.locator('.row-buttons').getByRole('button', { name: 'Add column' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Seen')
    await chooseType('Date and time')
    await dialog.getByLabel('Time zone').selectOption('Asia/Tokyo')
    await submit('Add column')
    // Types are icons, with words for screen readers.
    const header = (name: RegExp) => page.getByRole('columnheader', { name }).waitFor()
    await header(/^Seen Date and time \(Asia\/Tokyo\)/)
    await header(/^Friend Reference to People/)
    expect(await columns('People')).toEqual([
      'Name Text',
      'Favourite_colour Choice',
      'Friend Ref:People',
      'Seen DateTime:Asia/Tokyo',
    ])
  })

  it('are edited; another type converts their values', async () => {
    await choose('Column menu: Name', 'Edit column…')
    await dialog.getByText('Column id in the API: Name').waitFor()
    await dialog.getByLabel('Name', { exact: true }).fill('Size')
    await chooseType('Number')
    await dialog.getByText('Existing values are converted').waitFor()
    await submit('Save')
    await page.getByRole('columnheader', { name: /Size/ }).waitFor()
    expect((await columns('People'))[0]).toBe('Size Numeric')
    const cells = (await readRecords(rest, `${doc}/tables/People`)).map(({ fields }) => fields.Size)
    expect(cells).toEqual(['Ada', 7])
  })

  it('are edited beside the rows; edits are discarded only after a question', async () => {
    await choose('Column menu: Friend', 'Edit column…')
    await page.getByRole('gridcell', { name: 'Ada' }).click()
    await dialog.getByLabel('Description').fill('Who to ask')
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Discard changes?' })
    expect(await findViolations(page)).toEqual([])
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Who to ask')
    await submit('Save')
    const described = async () => {
      const { body } = await rest.get<{ columns: Column[] }>(`${doc}/tables/People/columns`)
      return body.columns.map(({ fields }) => fields.description)
    }
    expect(await described()).toEqual(['', '', 'Who to ask', ''])
    await page.locator('.head[title$="Who to ask"]').waitFor()

    await choose('Column menu: Friend', 'Edit column…')
    await dialog.getByLabel('Description').fill('Nobody')
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await described()).toEqual(['', '', 'Who to ask', ''])
    await page.locator('.ag-header-cell[col-id="Friend"]').and(page.locator(':focus')).waitFor()
  })

  it('that are edited keep their edits when a page is left, until the user has agreed', async () => {
    await page.getByRole('link', { name: 'History', exact: true }).click()
    await page.getByRole('link', { name: 'People', exact: true }).click()
    await choose('Column menu: Friend', 'Edit column…')
    await dialog.getByLabel('Description').fill('Unsaved')
    const question = page.getByRole('dialog', { name: 'Discard changes?' })
    const answer = async (button: string) => {
      await question.getByRole('button', { name: button }).click()
      await question.waitFor({ state: 'detached' })
    }
    const history = page.getByRole('link', { name: 'History', exact: true })
    await history.click()
    await answer('Cancel')
    const { href } = new URL(page.url())
    await page.goBack()
    await answer('Cancel')
    await page.waitForURL(href)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a document' }).fill('Profile')
    await page.getByRole('option', { name: /Profile/ }).click()
    await answer('Cancel')
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Unsaved')
    page.once('dialog', (shown) => void shown.dismiss())
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    expect((await asked).type()).toBe('beforeunload')
    await page.goBack()
    await answer('Discard changes')
    await page.waitForURL(/\/history$/)
    await page.getByRole('link', { name: 'People', exact: true }).click()
    await page.getByRole('gridcell', { name: 'Ada' }).waitFor()
    expect(await dialog.count()).toBe(0)
  })

  it('have their values as choices when they become choices, the most frequent first', async () => {
    await addTable(rest, doc, 'Pets', { Kind: 'Text' })
    const kinds = ['cat', 'dog', 'dog ', '', 'owl']
    await addRecords(
      rest,
      `${doc}/tables/Pets`,
      kinds.map((Kind) => ({ Kind })),
    )
    await page.getByRole('link', { name: 'Pets', exact: true }).click()
    await choose('Column menu: Kind', 'Edit column…')
    await chooseType('Choice')
    const names = () =>
      dialog
        .getByLabel(/^Name of choice/)
        .evaluateAll((fields: never[]) => fields.map(({ value }: { value: string }) => value))
    await eventually(async () => expect(await names()).toEqual(['dog', 'cat', 'owl']))
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Remove “cat”' }).click()
    await dialog.getByLabel('Name of choice 2').fill('hen')
    await dialog.getByRole('button', { name: 'Make from values' }).click()
    await eventually(async () => expect(await names()).toEqual(['dog', 'hen', 'cat', 'owl']))
    await submit('Save')
    await page.getByRole('columnheader', { name: /Kind.*Choice/ }).waitFor()
    const { body } = await rest.get<{ columns: Column[] }>(`${doc}/tables/Pets/columns`)
    expect(JSON.parse(body.columns[0]?.fields.widgetOptions ?? '')).toMatchObject({
      choices: ['dog', 'hen', 'cat', 'owl'],
    })
    await page.getByRole('link', { name: 'People', exact: true }).click()
    // The page of the other table must not ask for what is gone.
    await page.getByRole('columnheader', { name: /Seen/ }).waitFor()
    await desk.settled()
    const operations = [{ op: 'removeTables', tables: [{ id: 'Pets' }] }]
    await rest.post(`${doc}/batch`, { body: { operations } })
  })

  it('are deleted after the loss is confirmed', async () => {
    await choose('Column menu: Seen', 'Delete column…')
    await dialog.getByText('This deletes its values in 2 rows of People').waitFor()
    expect(await findViolations(page)).toEqual([])
    await submit('Delete column')
    await page.getByRole('columnheader', { name: /Seen/ }).waitFor({ state: 'detached' })
    expect(await columns('People')).toHaveLength(3)
    expect(desk.faults).toEqual([])
  })
})

describe('tables', () => {
  it('are added with initial columns', async () => {
    await page.getByRole('button', { name: 'Add table' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('to do')
    await dialog.getByLabel('Label of column 1').fill('Task')
    await dialog.getByRole('button', { name: 'Add column' }).click()
    await dialog.getByLabel('Label of column 2').fill('Done')
    await dialog.getByLabel('Type of column 2').selectOption({ label: 'Checkbox' })
    await dialog.getByRole('button', { name: 'Add column' }).click()
    await dialog.getByRole('button', { name: 'Remove column 3' }).click()
    await dialog.locator('[aria-label="Remove column 2"]:focus').waitFor()
    expect(await findViolations(page)).toEqual([])
    await submit('Add table')
    await page.waitForURL(/\/tables\/To_do$/)
    await page.getByRole('columnheader', { name: /Task/ }).waitFor()
    expect(await columns('To_do')).toEqual(['Task Text', 'Done Bool'])
  })

  it('are renamed, and the URL follows', async () => {
    await choose('More actions for table To_do', 'Rename')
    await dialog.getByLabel('Name').fill('people')
    await submit('Rename')
    await page.waitForURL(/\/tables\/People2$/)
    await page.getByRole('columnheader', { name: /Task/ }).waitFor()
    expect(await tables()).toEqual(['Table1', 'People', 'People2'])
    expect(desk.faults).toEqual([])
  })

  it('are deleted after the loss is confirmed', async () => {
    await choose('More actions for table People2', 'Delete')
    await dialog.getByText('This deletes 0 rows and the columns Task, Done.').waitFor()
    expect(await findViolations(page)).toEqual([])
    await submit('Delete table')
    await page.waitForURL(/\/tables\/Table1$/)
    await page.getByRole('columnheader', { name: /^A/ }).waitFor()
    expect(await tables()).toEqual(['Table1', 'People'])
    expect(desk.faults).toEqual([])
  })

  it('deleted by another user cause the error message of the API', async () => {
    await addTable(rest, doc, 'Brief', { A: 'Text' })
    await choose('More actions for table Brief', 'Rename')
    const { body } = await rest.get<{ tables: { id: string; fields: { tableRef: number } }[] }>(
      `${doc}/tables`,
    )
    const ref = body.tables.find(({ id }) => id === 'Brief')?.fields.tableRef
    await dialog.getByLabel('Name').fill('Long')
    await rest.post(`${doc}/tables/_grist_Tables/data/delete`, { body: [ref] })
    await page.getByRole('link', { name: 'Brief' }).waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByRole('alert').getByText('Table not found "Brief"').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('stay shown when another user renames them', async () => {
    await addTable(rest, doc, 'Ours', { A: 'Text' })
    await page.getByRole('link', { name: 'Ours' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.goto(`${page.url()}?sort=A`)
    await page.getByText('Live', { exact: true }).waitFor()
    const tables = [{ id: 'Ours', fields: { tableId: 'Theirs' } }]
    await rest.patch(`${doc}/tables`, { body: { tables } })
    await page.waitForURL(/\/tables\/Theirs\?sort=A$/)
    await page.getByRole('columnheader', { name: /^A/ }).waitFor()
  })
})

describe('a document without tables', () => {
  it('offers to add the first table', async () => {
    const empty = await newDocument(rest, 'Empty')
    const { body } = await rest.get<{ id: number }>(empty)
    const tableRefs = await rest.get<{ tables: { fields: { tableRef: number } }[] }>(
      `${empty}/tables`,
    )
    const refs = tableRefs.body.tables.map(({ fields }) => fields.tableRef)
    await rest.post(`${empty}/tables/_grist_Tables/data/delete`, { body: refs })
    await page.goto(`${sheaf.url}/console/docs/${body.id}`)
    await page.getByText('This document has no tables').waitFor()
    await page.getByRole('button', { name: 'Add table' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('First')
    await submit('Add table')
    await page.getByRole('columnheader', { name: /Name/ }).waitFor()
    await eventually(async () => {
      const { body: found } = await rest.get<{ tables: { id: string }[] }>(`${empty}/tables`)
      return found.tables.some(({ id }) => id === 'First')
    })
  })
})
