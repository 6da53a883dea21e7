import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { gristFile } from '@sheaf/testkit/grist-file'
import type { Rest } from '@sheaf/testkit/rest'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { gristStore, hashOf, storeFiles } from '../support/grist-store'
import { emailOf, newDocument } from '../support/system'
import { requireOk } from '../support/webhooks'
import { findViolations, patience, signIn, useChromium, type Visit } from './chromium'

const { visit, openDesk } = useChromium()
let sheaf: UsableSheaf
let desk: Visit
let page: Page
let rest: Rest
beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openDesk())
})

async function choose(of: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${of}`, exact: true }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

async function enterName(name: string, submit: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').first().fill(name)
  await dialog.getByRole('button', { name: submit }).click()
  await dialog.waitFor({ state: 'detached' })
}

interface Listed {
  readonly name: string
  readonly docs: readonly { readonly name: string; readonly isPinned: boolean }[]
}

const listed = async (): Promise<Listed[]> =>
  (await rest.get<Listed[]>('/api/orgs/current/workspaces')).body.map(({ name, docs }) => ({
    name,
    docs: docs.map((doc) => ({ name: doc.name, isPinned: doc.isPinned })),
  }))

describe('sites, workspaces and documents', () => {
  it('are created, renamed, moved, pinned, moved to the trash, restored and deleted', async () => {
    await page.goto(`${sheaf.url}/console/sites/current`)
    await page.getByRole('button', { name: 'New workspace' }).click()
    await enterName('Plans', 'Create workspace')
    await page.getByRole('button', { name: 'New document in Plans' }).click()
    await enterName('Draft', 'Create document')
    await page.getByRole('heading', { level: 1, name: 'Draft' }).waitFor()

    await page.goto(`${sheaf.url}/console/sites/current`)
    await choose('Draft', 'Rename')
    await enterName('Budget', 'Rename')
    await choose('Budget', 'Pin')
    await page.getByText('pinned').waitFor()
    await choose('workspace Plans', 'Rename')
    await enterName('Ideas', 'Rename')
    await choose('Budget', 'Move')
    const home = page.getByRole('option', { name: / \/ Home$/ })
    await home.waitFor({ state: 'attached' })
    await page
      .getByRole('dialog')
      .getByLabel('Workspace')
      .selectOption({ label: (await home.textContent()) ?? '' })
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const whole = [
      { name: 'Home', docs: [{ name: 'Budget', isPinned: true }] },
      { name: 'Ideas', docs: [] },
    ]
    expect(await listed()).toEqual(expect.arrayContaining(whole))

    await choose('Budget', 'Move to trash')
    await page.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await choose('workspace Ideas', 'Move to trash')
    await page.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await listed()).toEqual([{ name: 'Home', docs: [] }])

    await choose('Personal', 'Trash')
    await page.getByRole('button', { name: 'Restore Budget' }).click()
    await page.getByText('“Budget” restored.').waitFor()
    await page.getByRole('button', { name: 'Permanently delete Ideas' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('The trash is empty').waitFor()
    expect(await listed()).toEqual([whole[0]])
    expect(desk.faults).toEqual([])
  })

  it('include team sites, which are deleted after their name is typed', async () => {
    await page.goto(`${sheaf.url}/console/`)
    await page.getByRole('button', { name: 'New team site' }).click()
    await page.getByLabel('Name').fill('Bench')
    await page.getByLabel('Subdomain').fill('bench')
    await page.getByRole('button', { name: 'Create site' }).click()
    await page.getByRole('heading', { level: 1, name: 'Bench' }).waitFor()
    await choose('Bench', 'Rename')
    await enterName('Work', 'Rename')
    await choose('Work', 'Delete site')
    const dialog = page.getByRole('dialog')
    const submit = dialog.getByRole('button', { name: 'Delete site' })
    expect(await submit.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('Work')
    await submit.click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.getByRole('link', { name: 'Work' }).waitFor({ state: 'detached' })
    expect((await rest.get<unknown[]>('/api/orgs')).body).toHaveLength(1)
    expect(desk.faults).toEqual([])
    await page.goBack()
    await page.getByRole('alert').getByText('It may have been deleted').waitFor()
    expect(await page.getByRole('heading', { name: 'Work' }).count()).toBe(0)
  })

  it('import files as documents, and report errors of invalid files', async () => {
    await page.goto(`${sheaf.url}/console/sites/current`)
    await page.getByRole('button', { name: 'Import into Home' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('File').setInputFiles({
      name: 'broken.xlsx',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('no workbook'),
    })
    await dialog.getByRole('alert').waitFor()
    expect(await dialog.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true)
    await dialog.getByLabel('File').setInputFiles(join(__dirname, '../data/country-codes.csv'))
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { level: 1, name: 'country-codes' }).waitFor()
    await page.getByText('249 rows').waitFor()
  })

  it('import a file that is dropped on the page, into the workspace that is chosen', async () => {
    const drag = async (...names: string[]) => {
      const files = names.map((name) => [name, 'Name,Age\nAda,36\n'])
      return page.evaluateHandle(`(() => {
        const dragged = new DataTransfer()
        for (const [name, text] of ${JSON.stringify(files)}) dragged.items.add(new File([text], name))
        return dragged
      })()`)
    }
    await rest.post('/api/orgs/current/workspaces', { body: { name: 'Dropped' } })
    await page.goto(`${sheaf.url}/console/sites/current`)
    await page.getByRole('heading', { name: 'Dropped' }).waitFor()
    const hint = page.getByText('Drop the file to import it as a document.')
    await page.dispatchEvent('body', 'dragover', { dataTransfer: await drag('pets.csv') })
    await hint.waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.dispatchEvent('body', 'dragleave')
    await hint.waitFor({ state: 'detached' })
    await page.dispatchEvent('body', 'drop', { dataTransfer: await drag('pets.csv', 'more.csv') })
    await page.getByText('Drop one file at a time.').waitFor()
    await page.dispatchEvent('body', 'drop', { dataTransfer: await drag('pets.csv') })
    const dialog = page.getByRole('dialog', { name: 'Import “pets.csv”' })
    await dialog.waitFor()
    // The browser must not open another file in place of the page.
    const isOpened = await page.evaluate<boolean>(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['Name'], 'other.csv'))
      const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
      return document.querySelector('dialog').dispatchEvent(drop)
    })()`)
    expect(isOpened).toBe(false)
    await dialog.getByLabel('Workspace').selectOption('Dropped')
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { level: 1, name: 'pets' }).waitFor()
    await page.getByText('1 row', { exact: true }).waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Dropped').waitFor()
  })

  it('import Grist documents, with the results of their formulas and the contents of their files', async () => {
    await page.goto(`${sheaf.url}/console/sites/current`)
    await page.getByRole('button', { name: 'Import into Home' }).click()
    const dialog = page.getByRole('dialog')
    const buffer = gristFile(gristStore)
    const file = { name: 'Store.grist', mimeType: 'application/octet-stream', buffer }
    await dialog.getByLabel('File').setInputFiles(file)
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor()
    await page.getByRole('link', { name: 'Items' }).click()
    await page.getByRole('gridcell', { name: 'Fruit x4' }).waitFor()
    await page.getByRole('link', { name: 'Files' }).click()
    for (const [name, bytes] of Object.entries(storeFiles)) {
      const begun = page.waitForEvent('download')
      await page.getByRole('link', { name }).click()
      const download = await begun
      expect(hashOf(readFileSync(await download.path()))).toBe(hashOf(bytes))
    }
  })
})

describe('access', () => {
  it('is granted to a second user, who signs in and sees the document until it is revoked', async () => {
    const { email } = await sheaf.createUser(emailOf('dan'), 'Dan')
    const workspaces = (await rest.get<{ id: number }[]>('/api/orgs/current/workspaces')).body
    const path = `/api/workspaces/${workspaces[0]?.id}/docs`
    const { body: docId } = await rest.post<string>(path, { body: { name: 'Shared' } })
    await using other = await visit()
    await signIn(other, sheaf, email)
    await other.page.goto(`${sheaf.url}/console/docs/${docId}`)
    await other.page.getByRole('alert').getByText('access denied').waitFor()

    await page.goto(`${sheaf.url}/console/docs/${docId}`)
    await page.getByRole('button', { name: 'Access' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email').fill(email)
    await dialog.getByText('Viewers can view.').waitFor()
    await dialog.getByLabel('Role', { exact: true }).selectOption('viewers')
    await dialog.getByRole('button', { name: 'Share' }).click()
    await dialog.getByRole('rowheader', { name: /Dan/ }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await other.page.reload()
    await other.page.getByRole('heading', { level: 1, name: 'Shared' }).waitFor()

    await dialog.getByLabel(`Role of ${email}`).selectOption('editors')
    await dialog.getByLabel('People with a role on the workspace').selectOption('')
    await dialog.getByLabel('Anyone who is signed in can view with the link').check()
    const access = async () =>
      (
        await rest.get<{ maxInheritedRole: string | null; users: Record<string, unknown>[] }>(
          `/api/docs/${docId}/access`,
        )
      ).body
    await eventually(async () => {
      const { maxInheritedRole, users } = await access()
      const roles = users.map(({ email: address, access: role }) => [address, role])
      return (
        maxInheritedRole === null &&
        roles.some(([address, role]) => address === email && role === 'editors') &&
        roles.some(([address, role]) => address === 'everyone@getgrist.com' && role === 'viewers')
      )
    })
    await dialog.getByLabel('Anyone who is signed in can view with the link').uncheck()
    await dialog.getByRole('button', { name: `Remove ${email}` }).click()
    await dialog.getByRole('rowheader', { name: /Dan/ }).waitFor({ state: 'detached' })
    await dialog.locator('[aria-label^="Remove "]:focus, form input:focus').waitFor()
    const denied = other.page.getByRole('alert').getByText('access denied')
    const shown = other.page.getByRole('heading', { level: 1, name: 'Shared' })
    await eventually(async () => {
      await other.page.reload()
      // On a busy machine a page is loaded long before it shows anything.
      await denied.or(shown).first().waitFor()
      return denied.isVisible()
    })
  })
})

describe('sharing a document', () => {
  it('with everyone lets strangers open it, without a link to the site that refuses them', async () => {
    const doc = await newDocument(rest, 'Everybody’s plans')
    const everyone = { delta: { users: { 'everyone@getgrist.com': 'viewers' } } }
    requireOk(await rest.patch(`${doc}/access`, { body: everyone }))
    const { email } = await sheaf.createUser(emailOf('stranger'), 'Stranger')
    await using other = await visit()
    await signIn(other, sheaf, email)
    await other.page.goto(sheaf.url + doc.replace('/api', '/console'))
    await other.page.getByRole('heading', { level: 1, name: 'Everybody’s plans' }).waitFor()
    const trail = other.page.getByRole('navigation', { name: 'Breadcrumb' })
    await trail.getByText('Personal').waitFor()
    expect(await trail.getByRole('link').count()).toBe(0)
  })

  it('suggests people of the site, offers the link, and tells where roles come from', async () => {
    const { email } = await sheaf.createUser(emailOf('grace'), 'Grace')
    const users = { [email]: 'members' }
    await rest.patch('/api/orgs/current/access', { body: { delta: { users } } })
    const workspaces = (await rest.get<{ id: number }[]>('/api/orgs/current/workspaces')).body
    const path = `/api/workspaces/${workspaces[0]?.id}/docs`
    const { body: docId } = await rest.post<string>(path, { body: { name: 'Plans' } })
    await page.goto(`${sheaf.url}/console/docs/${docId}`)
    await page.getByRole('button', { name: 'Access' }).click()
    const dialog = page.getByRole('dialog')
    const suggested = dialog.locator('datalist option')
    await eventually(async () => (await suggested.count()) > 0, patience)
    expect(await suggested.count()).toBe(1)
    expect(await suggested.getAttribute('value')).toBe(email)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await dialog.getByRole('button', { name: 'Copy link' }).click()
    await dialog.getByText('Copied').waitFor()
    const link = await page.evaluate('navigator.clipboard.readText()')
    expect(link).toBe(`${sheaf.url}/console/docs/${docId}`)
    await dialog.getByRole('cell', { name: 'Owner, from the workspace' }).waitFor()

    await dialog.getByLabel('Email').fill(email)
    await dialog.getByRole('button', { name: 'Share' }).click()
    await dialog.getByRole('rowheader', { name: /Grace/ }).waitFor()
    await eventually(async () => (await suggested.count()) === 0, patience)
    await using other = await visit()
    await signIn(other, sheaf, email)
    await other.page.goto(String(link))
    await other.page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor()
  })

  it('lowers the role that someone has only after a question', async () => {
    const { email } = await sheaf.createUser(emailOf('uma'), 'Uma')
    const workspaces = (await rest.get<{ id: number }[]>('/api/orgs/current/workspaces')).body
    const path = `/api/workspaces/${workspaces[0]?.id}/docs`
    const { body: docId } = await rest.post<string>(path, { body: { name: 'Kept' } })
    const body = { delta: { users: { [email]: 'editors' } } }
    await rest.patch(`/api/docs/${docId}/access`, { body })
    await page.goto(`${sheaf.url}/console/docs/${docId}`)
    await page.getByRole('button', { name: 'Access' }).click()
    const dialog = page.getByRole('dialog', { name: 'Access to “Kept”' })
    const role = dialog.getByLabel(`Role of ${email}`)
    const question = page.getByRole('dialog', { name: `${email} is already Editor` })
    for (const answer of ['Cancel', 'Change to Viewer']) {
      await dialog.getByLabel('Email').fill(email.replace('uma', 'Uma'))
      await dialog.getByRole('button', { name: 'Share' }).click()
      expect(await findViolations(page)).toEqual([])
      await question.getByRole('button', { name: answer }).click()
      await question.waitFor({ state: 'detached' })
      const wanted = answer === 'Cancel' ? 'editors' : 'viewers'
      await eventually(async () => expect(await role.inputValue()).toBe(wanted), patience)
    }
  })
})

describe('a document', () => {
  it('runs SQL and shows rows or errors', async () => {
    await page.goto(`${sheaf.url}/console/sites/current`)
    await page.getByRole('link', { name: 'country-codes' }).click()
    await page.getByRole('link', { name: 'SQL' }).click()
    const text = page.getByRole('textbox', { name: 'SQL' })
    await text.fill('select count(*) as n from Country_codes')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('cell', { name: '249' }).waitFor()
    await text.fill('select nothing')
    await text.press('Control+Enter')
    await page
      .getByRole('alert')
      .getByText(/syntax error|no such column/)
      .waitFor()
  })

  it('is downloaded in each format', async () => {
    await page.getByRole('link', { name: 'Downloads' }).click()
    const links = page.locator('a[download]')
    await links.first().waitFor()
    const paths = await Promise.all((await links.all()).map((link) => link.getAttribute('href')))
    expect(paths).toHaveLength(8)
    for (const path of paths) {
      const { status, size } = await page.evaluate<{ status: number; size: number }>(
        `fetch(${JSON.stringify(path)}).then(async (response) => ({ status: response.status, size: (await response.arrayBuffer()).byteLength }))`,
      )
      expect([path, status, size > 100]).toEqual([path, 200, true])
    }
  })

  it('accepts files and offers them for download', async () => {
    await page.getByRole('link', { name: 'Files' }).click()
    const file = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }
    await page.getByLabel('Attach files').setInputFiles(file)
    const link = page.getByRole('link', { name: 'note.txt' })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    expect(download.suggestedFilename()).toBe('note.txt')
  })
})

describe('the subdomain of a team site', () => {
  it('is changed by its owner, with errors shown at the field', async () => {
    const { body: id } = await rest.post<number>('/api/orgs', {
      body: { name: 'Team', domain: 'before' },
    })
    await page.goto(`${sheaf.url}/console/sites/${id}`)
    await choose('Team', 'Change subdomain')
    const dialog = page.getByRole('dialog')
    const field = dialog.getByLabel('Subdomain')
    await field.fill('docs-x')
    await dialog.getByRole('button', { name: 'Change', exact: true }).click()
    await dialog.getByText(/reserved prefix/).waitFor()
    expect(await dialog.getByRole('alert').count()).toBe(1)
    const described = (await field.getAttribute('aria-describedby')) ?? ''
    expect(described).toContain('error')
    expect(await findViolations(page)).toEqual([])
    await field.fill('Behind')
    await dialog.getByRole('button', { name: 'Change', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await rest.get<{ domain: string }>(`/api/orgs/${id}`)).body.domain).toBe('behind')
  })
})
