import type { Page } from 'playwright-core'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import { emailOf, homeWorkspace } from '../support/system'
import { requireOk } from '../support/webhooks'
import { findViolations, patience, useChromium, type Visit } from './chromium'

interface Records {
  readonly records: readonly { readonly fields: Readonly<Record<string, unknown>> }[]
}

const { openDesk } = useChromium()
let sheaf: UsableSheaf
let desk: Visit
let page: Page
let rest: Rest
beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openDesk())
})

async function createDocument(of: Rest, name: string): Promise<string> {
  const workspace = await homeWorkspace(of)
  const made = await of.post<string>(`/api/workspaces/${workspace}/docs`, { body: { name } })
  return `/api/docs/${made.body}`
}

const listOf = (title: string) =>
  page.getByRole('region', { name: title, exact: true }).getByRole('link')

describe('a new user', () => {
  it('creates a sample document, with references, formulas, choices and views', async () => {
    await page.goto(`${sheaf.url}/console/`)
    await page.getByText('No documents yet').waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Create a sample document' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sample: team projects' }).waitFor()
    const tables = page.getByRole('navigation', { name: 'Tables' }).getByRole('link')
    expect(await tables.allTextContents()).toEqual(['People', 'Projects', 'Tasks'])
    await page.getByRole('gridcell', { name: 'Ada Lindgren' }).waitFor()
    const doc = `/api/docs/${page.url().split('/')[5]}`
    await eventually(async () => {
      const { body } = await rest.get<Records>(`${doc}/tables/Projects/records`)
      const progress = body.records.map(({ fields }) => fields.Progress)
      expect(progress).toEqual([0.5, 1 / 3, 0, 1])
    }, patience)
    const { body } = await rest.get<Records>(`${doc}/tables/People/records`)
    expect(body.records.map(({ fields }) => fields.OpenTasks)).toEqual([2, 3, 1])
    const views = await rest.get<{ views: { fields: { name: string } }[] }>(
      `${doc}/tables/Tasks/views`,
    )
    expect(views.body.views.map(({ fields }) => fields.name)).toEqual(['To do'])
    expect(desk.faults).toEqual([])
    await page.goto(`${sheaf.url}/console/`)
    await rest.delete(doc)
  })

  it('stays on a page opened while the sample document is created', async () => {
    await page.goto(`${sheaf.url}/console/`)
    let release = () => {}
    const isOpened = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/tables/Tasks/views', async (route) => {
      await isOpened
      await route.continue()
    })
    const adding = page.waitForRequest('**/tables/Tasks/views')
    await page.getByRole('button', { name: 'Create a sample document' }).click()
    await adding
    await page.getByRole('link', { name: 'API', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'API' }).waitFor()
    release()
    await page.getByText('The sample document has been created.').waitFor()
    expect(page.url()).toBe(`${sheaf.url}/console/api`)
    await page.unroute('**/tables/Tasks/views')
    const { body } = await rest.get<{ docs: { id: string }[] }>(
      `/api/workspaces/${await homeWorkspace(rest)}`,
    )
    for (const { id } of body.docs) await rest.delete(`/api/docs/${id}`)
  })

  it('chooses among workspaces of the same name by their sites when a file is dropped', async () => {
    requireOk(await rest.post('/api/orgs', { body: { name: 'Bakery' } }))
    await page.goto(`${sheaf.url}/console/`)
    await page.getByRole('link', { name: 'Bakery' }).waitFor()
    const dragged = await page.evaluateHandle(`(() => {
      const dragged = new DataTransfer()
      dragged.items.add(new File(['Name'], 'pets.csv'))
      return dragged
    })()`)
    await page.dispatchEvent('body', 'drop', { dataTransfer: dragged })
    const options = page.getByRole('dialog').getByLabel('Workspace').getByRole('option')
    await eventually(async () => {
      expect(await options.allInnerTexts()).toEqual(['Personal – you / Home', 'Bakery / Home'])
    }, patience)
    await page.keyboard.press('Escape')

    // A new document is placed in the same way.
    await page.getByRole('button', { name: 'New document' }).click()
    const dialog = page.getByRole('dialog', { name: 'New document' })
    await dialog.getByLabel('Name').fill('Bread')
    await dialog.getByLabel('Workspace').selectOption('Bakery / Home')
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create document' }).click()
    await page.getByRole('heading', { level: 1, name: 'Bread' }).waitFor()
    await page.getByRole('link', { name: 'Bakery' }).waitFor()
  })
})

describe('home', () => {
  it('lists documents by the time of their last change, pinned ones, those of others, and finds them by name', async () => {
    const plans = await createDocument(rest, 'Garden plans')
    await createDocument(rest, 'Café budget')
    await rest.patch(`${plans}`, { body: { isPinned: true } })
    const eve = await sheaf.createUser(emailOf('eve'), 'Eve')
    const others = createRest(sheaf.url, eve.key)
    const shared = await createDocument(others, 'Recipes of Eve')
    const { email } = (await rest.get<{ email: string }>('/api/profile/user')).body
    const delta = { users: { [email]: 'editors' } }
    expect((await others.patch(`${shared}/access`, { body: { delta } })).status).toBe(200)

    await page.goto(`${sheaf.url}/console/`)
    // The documents of each site arrive by themselves.
    await listOf('Shared with me').getByText('Recipes of Eve').waitFor()
    await listOf('Recently changed').getByText('Garden plans').waitFor()
    expect(await listOf('Pinned').allTextContents()).toEqual(['Garden plans'])
    expect(await listOf('Shared with me').allTextContents()).toEqual(['Recipes of Eve'])
    const recent = await listOf('Recently changed').allTextContents()
    expect(recent.slice(0, 3)).toEqual(['Recipes of Eve', 'Garden plans', 'Café budget'])
    await page
      .getByText(/Updated .* by Eve/)
      .first()
      .waitFor()
    expect(await findViolations(page)).toEqual([])

    await page.getByLabel('Find a document').fill('cafe')
    await listOf('Found').getByText('Café budget').waitFor()
    expect(await listOf('Found').allTextContents()).toEqual(['Café budget'])
    await page.getByLabel('Find a document').fill('nothing like it')
    await page.getByText('No document has “nothing like it” in its name.').waitFor()
    expect(desk.faults).toEqual([])
  })

  it('shows a change of the contents of a document as its latest', async () => {
    const doc = await createDocument(rest, 'Early')
    await createDocument(rest, 'Late')
    await page.goto(`${sheaf.url}/console/`)
    await listOf('Recently changed').getByText('Late').waitFor()
    await rest.post(`${doc}/tables/Table1/records`, { body: { records: [{}] } })
    await eventually(async () => {
      await page.reload()
      await listOf('Recently changed').getByText('Late').waitFor()
      expect((await listOf('Recently changed').allTextContents())[0]).toBe('Early')
    })
  })
})

describe('the search of all pages', () => {
  it('opens documents, tables and pages by the keyboard alone', async () => {
    const doc = await createDocument(rest, 'Orchard')
    const tables = [{ id: 'Apples', columns: [{ id: 'Kind' }] }]
    await rest.post(`${doc}/tables`, { body: { tables } })
    await page.goto(`${sheaf.url}/console/`)
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.keyboard.press('Control+k')
    const search = page.getByRole('combobox', { name: 'Find a document, table or page' })
    await search.fill('orch')
    await page.getByRole('option', { name: /^Orchard/ }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Orchard' }).waitFor()

    await page.keyboard.press('Control+k')
    await search.fill('apples')
    await page.getByRole('option', { name: 'Apples · table of Orchard' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/tables\/Apples$/)

    await page.keyboard.press('Control+k')
    await search.fill('webhooks')
    await page.getByRole('option', { name: 'Webhooks · Orchard' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/webhooks$/)

    await page.keyboard.press('Control+k')
    await search.fill('profile')
    await page.getByRole('option', { name: 'Go to Profile settings' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Profile settings' }).waitFor()

    await page.getByRole('button', { name: 'Go to…', exact: true }).click()
    await search.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(desk.faults).toEqual([])
  })

  it('says that documents of sites beyond the first 20 are not found', async () => {
    await page.route('**/api/orgs', async (route) => {
      const response = await route.fetch()
      const [org, ...others] = (await response.json()) as { id: number }[]
      const more = Array.from({ length: 20 }, () => org)
      await route.fulfill({ response, json: [org, ...others, ...more] })
    })
    await page.goto(`${sheaf.url}/console/`)
    await page.getByText('Only documents of your first 20 sites are listed.').waitFor()
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Only documents of your first 20 sites are found.').waitFor()
    await page.getByRole('combobox').fill('in the last site')
    await dialog.getByText('No matches. Only documents of your first 20 sites are found.').waitFor()
    await page.keyboard.press('Escape')
    await page.unrouteAll()
  })

  it('offers the pages of a document that its user may open', async () => {
    const { key } = await sheaf.createUser(emailOf('finn'), 'Finn')
    const others = createRest(sheaf.url, key)
    const { email } = (await rest.get<{ email: string }>('/api/profile/user')).body
    const search = page.getByRole('combobox', { name: 'Find a document, table or page' })
    for (const [role, wanted] of [
      ['viewers', ['SQL', 'Files', 'Downloads', 'Formulas', 'API']],
      ['editors', ['SQL', 'Files', 'Downloads', 'Formulas', 'History', 'API']],
    ] as const) {
      const doc = await createDocument(others, `Of ${role}`)
      const delta = { users: { [email]: role } }
      expect((await others.patch(`${doc}/access`, { body: { delta } })).status).toBe(200)
      await page.goto(`${sheaf.url}/console${doc.replace('/api', '')}`)
      await page.getByRole('heading', { level: 1, name: `Of ${role}` }).waitFor()
      await page.keyboard.press('Control+k')
      await search.fill(`· of ${role}`)
      const options = page.getByRole('option', { name: new RegExp(`^[A-Z]\\w+ · Of ${role}$`) })
      await eventually(async () =>
        expect(await options.allTextContents()).toEqual(
          wanted.map((name) => `${name} · Of ${role}`),
        ),
      )
      await search.press('Escape')
    }
    expect(desk.faults).toEqual([])
  })
})
