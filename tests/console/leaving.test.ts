import type { Rest } from '@sheaf/testkit/rest'
import type { RunningSheaf } from '@sheaf/testkit/sheaf'
import type { Locator, Page } from 'playwright-core'
import { addRecords, addTable, newDocument } from '../support/system'
import { allowLoopback, requireOk } from '../support/webhooks'
import { findUrl, useChromium, type Visit } from './chromium'

const { openOwnDesk } = useChromium()
let sheaf: RunningSheaf
let desk: Visit
let page: Page
let rest: Rest
let url: string
let boardId: number
let panel: Locator
let description: Locator
beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openOwnDesk(allowLoopback))
  await page.setViewportSize({ width: 1400, height: 900 })
  panel = page.locator('.side-panel')
  description = panel.getByLabel('Description')
})
beforeEach(async () => {
  await page.unrouteAll({ behavior: 'wait' })
  const doc = await newDocument(rest, 'Leaving')
  const widgetOptions = JSON.stringify({ choices: ['Human'] })
  const columns = [
    { id: 'Name', fields: { type: 'Text' } },
    { id: 'Kind', fields: { type: 'Choice', widgetOptions } },
  ]
  requireOk(await rest.post(`${doc}/tables`, { body: { tables: [{ id: 'People', columns }] } }))
  await addTable(rest, doc, 'Pets', { Name: 'Text' })
  await addRecords(rest, `${doc}/tables/People`, [{ Name: 'Ada' }])
  const fields = { name: 'Board', type: 'board', groupBy: ['Kind'] }
  const added = await rest.post<{ views: { id: number }[] }>(`${doc}/tables/People/views`, {
    body: { views: [{ fields }] },
  })
  requireOk(added)
  boardId = added.body.views[0]?.id ?? 0
  url = `${await findUrl(sheaf, rest, doc)}/tables/People`
  await page.goto(url)
  await page.getByText('Live', { exact: true }).waitFor()
})

const dialog = (name: string) => page.getByRole('dialog', { name, exact: true })
const tableLink = (name: string) => page.getByRole('link', { name, exact: true })

async function choose(menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

async function chooseView(name: string): Promise<void> {
  await page.getByRole('button', { name: /^View: / }).click()
  await page.getByRole('menuitemradio', { name }).click()
}

/** Begins to edit a column. */
async function describeColumn(column: string, text: string): Promise<void> {
  await choose(`Column menu: ${column}`, 'Edit column…')
  await dialog(`Edit column “${column}”`).waitFor()
  await description.fill(text)
}

/** Holds the calls of a method to a path until the returned function is called. */
async function hold(method: string, path: RegExp): Promise<() => void> {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(path, async (route) => {
    if (route.request().method() === method) await held
    await route.fallback()
  })
  return () => release()
}

/** Does what makes a call, and resolves once it is made. */
async function begin(method: string, path: RegExp, act: () => Promise<unknown>): Promise<void> {
  const made = page.waitForRequest((call) => call.method() === method && path.test(call.url()))
  await act()
  await made
}

async function answer(question: string, button: string): Promise<void> {
  await dialog(question).getByRole('button', { name: button, exact: true }).click()
  await dialog(question).waitFor({ state: 'detached' })
}

const DISCARD = 'Discard changes?'
const RENAME = 'Rename table “Pets”'

/** Submits the dialog that renames Pets, and closes it before the call is answered. */
async function renameAndClose(name: string): Promise<void> {
  await choose('More actions for table Pets', 'Rename')
  await dialog(RENAME).getByLabel('Name').fill(name)
  await begin('PATCH', /\/tables$/, () => page.keyboard.press('Enter'))
  await page.keyboard.press('Escape')
  await dialog(RENAME).waitFor({ state: 'detached' })
}

describe('a dialog that is closed before its call has ended', () => {
  it('does not close the dialog that was opened after it', async () => {
    const release = await hold('PATCH', /\/tables$/)
    await renameAndClose('Animals')
    await page.getByRole('button', { name: 'Add table' }).click()
    const name = dialog('Add table').getByLabel('Name', { exact: true })
    await name.fill('Plants')
    release()
    await page.locator('.tables').getByText('Animals', { exact: true }).waitFor()
    await desk.settled()
    expect(await name.inputValue()).toBe('Plants')
  })

  it('shows as a message why the call has failed', async () => {
    const json = { error: 'Not possible today', details: {} }
    await page.route(/\/tables$/, (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 400, json })
        : route.fallback(),
    )
    const release = await hold('PATCH', /\/tables$/)
    await renameAndClose('Animals')
    release()
    await page.locator('.toast.error').getByText('Not possible today').waitFor()
  })
})

describe('a column that is edited', () => {
  it('is not discarded when another one, whose panel was closed, has been saved', async () => {
    const release = await hold('POST', /\/batch/)
    await describeColumn('Name', 'First')
    await begin('POST', /\/batch/, () => panel.getByRole('button', { name: 'Save' }).click())
    await page.keyboard.press('Escape')
    await answer(DISCARD, 'Discard changes')
    await describeColumn('Kind', 'Second')
    release()
    await page.locator('.head[title$="First"]').waitFor()
    await desk.settled()
    expect(await description.inputValue()).toBe('Second')
  })

  it('is not discarded without a question when another kind of view is shown, or the table renamed', async () => {
    await page.goto(`${url}?view=${boardId}`)
    await page.locator('.board-lane').first().waitFor()
    await chooseView('All rows')
    await describeColumn('Name', 'Unsaved')
    const isAsked = async () => {
      await answer(DISCARD, 'Cancel')
      expect(await description.inputValue()).toBe('Unsaved')
    }
    await page.goBack()
    await isAsked()
    await chooseView('Board')
    await isAsked()
    await page.getByRole('button', { name: /^View: / }).click()
    await page.getByRole('menuitem', { name: 'New form view…' }).click()
    await dialog('New form view').getByLabel('Name').fill('Form')
    await page.keyboard.press('Enter')
    await isAsked()
    await choose('More actions for table People', 'Rename')
    await isAsked()
    await choose('More actions for table People', 'Delete')
    await isAsked()
    await choose('More actions for table People', 'Rename')
    await answer(DISCARD, 'Discard changes')
    await dialog('Rename table “People”').getByLabel('Name').fill('Persons')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/tables\/Persons$/)
  })

  it('is edited anew from its menu once its edits are discarded', async () => {
    await describeColumn('Name', 'Discarded')
    await choose('Column menu: Name', 'Edit column…')
    await answer(DISCARD, 'Cancel')
    expect(await description.inputValue()).toBe('Discarded')
    await choose('Column menu: Name', 'Edit column…')
    await answer(DISCARD, 'Discard changes')
    expect(await description.inputValue()).toBe('')
  })

  it('is not discarded without a question when a file has been imported', async () => {
    await describeColumn('Name', 'Unsaved')
    await page.getByRole('button', { name: 'Import a file' }).click()
    const buffer = Buffer.from('a,b\n1,2\n')
    const importing = dialog('Import a file')
    await importing
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'Imported.csv', mimeType: 'text/csv', buffer })
    await importing.getByText('1 row.').waitFor()
    await importing.getByRole('button', { name: 'Import' }).click()
    await tableLink('Imported').waitFor()
    await answer(DISCARD, 'Cancel')
    expect(await description.inputValue()).toBe('Unsaved')
  })
})

describe('a call that ends after its page was left', () => {
  const created = [
    {
      what: 'document',
      path: /\/workspaces\/\d+\/docs$/,
      button: 'New document in Home',
      submit: 'Create document',
    },
    { what: 'site', path: /\/api\/orgs$/, button: 'New team site', submit: 'Create site' },
  ]
  it.each(created)('does not lead to the $what that it has created', async (of) => {
    await page.goto(`${sheaf.url}/console/${of.what === 'site' ? '' : 'sites/current'}`)
    const release = await hold('POST', of.path)
    const answered = page.waitForResponse((response) => of.path.test(response.url()))
    await page.getByRole('button', { name: of.button }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Created later')
    await begin('POST', of.path, () => page.getByRole('button', { name: of.submit }).click())
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const { pathname } = new URL(page.url())
    release()
    expect((await answered).status()).toBe(200)
    await page.getByText('Created later').first().waitFor()
    await desk.settled()
    expect(new URL(page.url()).pathname).toBe(pathname)
  })

  it('does not lead to the webhook that it has created', async () => {
    const path = /\/webhooks$/
    await page.goto(url.replace('/tables/People', '/webhooks/new'))
    await page.getByLabel('Name', { exact: true }).fill('Created later')
    await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:9/hook')
    const release = await hold('POST', path)
    const answered = page.waitForResponse(
      (response) => path.test(response.url()) && response.request().method() === 'POST',
    )
    await begin('POST', path, () => page.getByRole('button', { name: 'Create webhook' }).click())
    await tableLink('Pets').click()
    await answer('Leave without saving?', 'Leave without saving')
    await page.waitForURL(/\/tables\/Pets$/)
    release()
    expect((await answered).status()).toBe(200)
    await page.locator('.toast').getByText('Webhook created.').waitFor()
    await desk.settled()
    expect(page.url()).toMatch(/\/tables\/Pets$/)
  })

  it('does not lead back to it: a table that was deleted, and one that was added', async () => {
    const released = await hold('POST', /\/batch/)
    const added = await hold('POST', /\/tables$/)
    await page.getByRole('button', { name: 'Add table' }).click()
    await dialog('Add table').getByLabel('Name', { exact: true }).fill('Plants')
    await begin('POST', /\/tables$/, () => page.keyboard.press('Enter'))
    await page.keyboard.press('Escape')
    added()
    await tableLink('Plants').waitFor()
    await desk.settled()
    expect(page.url()).toBe(url)
    await choose('More actions for table People', 'Delete')
    await begin('POST', /\/batch/, () =>
      dialog('Delete table “People”?').getByRole('button', { name: 'Delete table' }).click(),
    )
    await page.keyboard.press('Escape')
    await tableLink('Pets').click()
    released()
    await tableLink('People').waitFor({ state: 'detached' })
    await desk.settled()
    expect(page.url()).toBe(url.replace('People', 'Pets'))
  })

  it('does not lead back to it: a card that was added to a board', async () => {
    await page.goto(`${url}?view=${boardId}`)
    const release = await hold('POST', /\/batch/)
    const add = page.getByRole('button', { name: 'Add card: Human' })
    await begin('POST', /\/batch/, () => add.click())
    await tableLink('Pets').click()
    await page.getByText('Live', { exact: true }).waitFor()
    release()
    await desk.settled()
    expect(page.url()).toBe(url.replace('People', 'Pets'))
  })
})

it('a table that is renamed keeps its sort order and search', async () => {
  await page.goto(`${url}?sort=Name&search=Ada`)
  await page.getByText('Live', { exact: true }).waitFor()
  await choose('More actions for table People', 'Rename')
  await dialog('Rename table “People”').getByLabel('Name').fill('Persons')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/tables\/Persons\?sort=Name&search=Ada$/)
  await page.getByRole('gridcell', { name: 'Ada' }).waitFor()
})
