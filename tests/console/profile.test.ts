import { createRest } from '@sheaf/testkit/rest'
import { eventually } from '@sheaf/testkit/eventually'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { findViolations, followLink, signIn, useChromium } from './chromium'

const { visit } = useChromium()
let sheaf: RunningSheaf
beforeAll(async () => {
  sheaf = await startSheaf({ env: { SHEAF_LOOP_DELAY_MS: '60000' } })
})
afterAll(async () => {
  await sheaf?.[Symbol.asyncDispose]()
})

/** Presses Tab until a button has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true })
  for (let pressed = 0; pressed < 60; pressed++) {
    if ((await button.and(page.locator(':focus')).count()) === 1) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach "${name}"`)
}

const apiSection = (page: Page) => page.getByRole('region', { name: 'API', exact: true })
const statusWith = async (key: string) =>
  (await createRest(sheaf.url, key).get('/api/profile/user')).status

async function readKey(page: Page): Promise<string> {
  const text = await apiSection(page).getByLabel('API key', { exact: true }).textContent()
  return text ?? ''
}

describe('the API section of profile settings', () => {
  it('lets the owner remove the key and create others with the keyboard only, after signing in by the printed link', async () => {
    await using desk = await visit()
    const { page } = desk
    const [, link = ''] = /(http\S+\/sign-in\/link\?token=\S+)/.exec(sheaf.output()) ?? []
    await followLink(page, link)
    await tabTo(page, 'you')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Profile settings' }).waitFor()
    await page.keyboard.press('Enter')
    const section = apiSection(page)

    await section.getByRole('button', { name: 'Remove' }).waitFor()
    await tabTo(page, 'Remove')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Remove the API key?' }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await tabTo(page, 'Remove key')
    await page.keyboard.press('Enter')
    await section.getByRole('button', { name: 'Create' }).waitFor()
    expect(await statusWith(sheaf.ownerKey)).toBe(401)

    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await tabTo(page, 'Create')
    await page.keyboard.press('Enter')
    await section.getByRole('button', { name: 'Copy API key' }).waitFor()
    const first = await readKey(page)
    expect(await statusWith(first)).toBe(200)

    await tabTo(page, 'Remove')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await statusWith(first)).toBe(200)
    await page.keyboard.press('Enter')
    await tabTo(page, 'Remove key')
    await page.keyboard.press('Enter')
    await section.getByRole('button', { name: 'Create' }).waitFor()
    expect(await statusWith(first)).toBe(401)

    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await tabTo(page, 'Create')
    await page.keyboard.press('Enter')
    await section.getByRole('button', { name: 'Copy API key' }).waitFor()
    const second = await readKey(page)
    expect(second).not.toBe(first)
    expect(await statusWith(second)).toBe(200)
    expect(desk.faults).toEqual([])
  })

  it('shows a key only once', async () => {
    const { email } = await sheaf.createUser('bob@example.com', 'Bob')
    await using desk = await visit()
    await signIn(desk, sheaf, email)
    await desk.page.goto(`${sheaf.url}/console/profile`)
    const section = apiSection(desk.page)
    const create = section.getByRole('button', { name: 'Create' })
    await section.getByRole('button').first().waitFor()
    // A user created by the operator may already have a default key.
    if ((await create.count()) === 0) {
      await section.getByRole('button', { name: 'Remove' }).click()
      await desk.page.getByRole('button', { name: 'Remove key' }).click()
    }
    await create.click()
    await section.getByRole('button', { name: 'Copy API key' }).waitFor()
    const key = await readKey(desk.page)
    await desk.page.reload()
    const masked = await section.getByLabel('API key, masked').textContent()
    expect(masked).toMatch(/^shf_\w+\*+$/)
    expect(key).not.toBe(masked)
  })
})

describe('named keys', () => {
  it('are created with an expiry date and restricted access, and revoked', async () => {
    const { email } = await sheaf.createUser('carol@example.com', 'Carol')
    await using desk = await visit()
    const { page } = desk
    await signIn(desk, sheaf, email)
    await page.goto(`${sheaf.url}/console/profile`)
    await page.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('robot')
    await dialog.getByLabel('Expiry date').fill('2999-12-31')
    await dialog.getByLabel('Read-only').check()
    await dialog.getByLabel(/^Restrict to/).check()
    expect(await dialog.getByRole('button', { name: 'Create key' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Home').check()
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const key = (await dialog.getByLabel('new key', { exact: true }).textContent()) ?? ''
    const robot = createRest(sheaf.url, key)
    expect((await robot.get('/api/orgs/current/workspaces')).status).toBe(200)
    const write = await robot.post('/api/orgs/current/workspaces', { body: { name: 'No' } })
    expect(write.status).toBe(403)
    await dialog.getByRole('button', { name: 'Done' }).click()

    const row = page.getByRole('row', { name: /robot/ })
    expect(await row.textContent()).toMatch(/1 workspace, read-only.*2999/)
    await row.getByRole('button', { name: 'Revoke robot' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('No named keys yet').waitFor()
    expect((await robot.get('/api/orgs')).status).toBe(401)
    expect(desk.faults).toEqual([])
  })
})

describe('the changes of a key', () => {
  it('are listed with their documents, and undone where nothing has changed since', async () => {
    const { email, key } = await sheaf.createUser('kim@example.com', 'Kim')
    const rest = createRest(sheaf.url, key)
    const made = await rest.post<{ id: number; key: string }>('/api/profile/apikeys', {
      body: { name: 'agent' },
    })
    const agent = createRest(sheaf.url, made.body.key)
    const doc = await newDocument(rest, 'Harbour')
    await addTable(rest, doc, 'Boats', { Name: 'Text' })
    await addRecords(agent, `${doc}/tables/Boats`, [{ Name: 'Ada' }, { Name: 'Bea' }])
    const rename = (Name: string, by: typeof rest) =>
      by.patch(`${doc}/tables/Boats/records`, { body: { records: [{ id: 1, fields: { Name } }] } })
    await rename('Eve', agent)
    await eventually(async () => {
      const path = `/api/profile/apikeys/${made.body.id}/changes`
      return (await rest.get<{ changes: object[] }>(path)).body.changes.length === 2
    })

    await using desk = await visit()
    const { page } = desk
    await signIn(desk, sheaf, email)
    await page.goto(`${sheaf.url}/console/profile`)
    await page.getByRole('link', { name: 'Changes of agent' }).click()
    await page.getByRole('heading', { name: 'Changes of “agent”' }).waitFor()
    await page.getByRole('row', { name: /Harbour.*added 2 rows to Boats/ }).waitFor()
    expect(await findViolations(page)).toEqual([])

    await page.getByRole('button', { name: 'Undo change 3 of Harbour' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('added 2 rows to Boats').waitFor()
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByRole('alert').getByText('change 3 cannot be undone').waitFor()
    await dialog.getByRole('link', { name: 'row 1' }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    for (const seq of [4, 3]) {
      await page.getByRole('button', { name: `Undo change ${seq} of Harbour` }).click()
      await dialog.getByRole('button', { name: 'Undo' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    expect(await readRecords(rest, `${doc}/tables/Boats`)).toEqual([])
    await page.getByRole('link', { name: 'change 4' }).click()
    await page.getByRole('button', { name: 'Undo change 4' }).waitFor()
    // The undo that was refused.
    expect(desk.faults).toEqual([expect.stringContaining('409')])
  })
})

describe('a page open while another user signs in from another tab', () => {
  it('writes nothing on their behalf, shows their data, and redirects to the sign-in page when they are signed out', async () => {
    const [fay, gus] = [
      await sheaf.createUser('fay@example.com', 'Fay'),
      await sheaf.createUser('gus@example.com', 'Gus'),
    ]
    await using desk = await visit()
    const { page, context } = desk
    await signIn(desk, sheaf, fay.email)
    await page.goto(`${sheaf.url}/console/profile`)
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Fay F.')
    const tab = await context.newPage()
    await signIn({ ...desk, page: tab }, sheaf, gus.email)

    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText(gus.email).waitFor()
    expect(await name.inputValue()).toBe('Gus')
    const { body } = await createRest(sheaf.url, gus.key).get<{ name: string }>('/api/profile/user')
    expect(body.name).toBe('Gus')

    await context.clearCookies()
    await name.fill('Gus G.')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.waitForURL(/\/sign-in\?next=%2Fconsole%2Fprofile/)
  })
})

describe('sessions', () => {
  it('are listed, ended one by one, and all others at once', async () => {
    const { email } = await sheaf.createUser('hana@example.com', 'Hana')
    await using desk = await visit()
    const others = [await visit(), await visit()]
    for (const each of [desk, ...others]) await signIn(each, sheaf, email)
    const { page } = desk
    await page.goto(`${sheaf.url}/console/profile`)
    const section = page.getByRole('region', { name: 'Sessions' })
    await section.getByText('This session').waitFor()
    const ends = section.getByRole('button', { name: /^End the session of Chrom.* on Linux$/ })
    expect(await ends.count()).toBe(2)
    expect(await findViolations(page)).toEqual([])
    await ends.first().click()
    await page.getByText('Session ended.').waitFor()
    expect(await ends.count()).toBe(1)
    await section.getByRole('button', { name: 'End other sessions' }).click()
    await ends.waitFor({ state: 'detached' })
    for (const other of others) {
      await other.page.goto(`${sheaf.url}/console/profile`)
      await other.page.waitForURL(/\/sign-in/)
      await other[Symbol.asyncDispose]()
    }
    await page.reload()
    await section.getByText('This session').waitFor()
    expect(desk.faults).toEqual([])
  })
})

describe('the account', () => {
  it('is renamed, signed out everywhere, and deleted after its name is typed', async () => {
    const { email, key } = await sheaf.createUser('erin@example.com', 'Erin')
    await using desk = await visit()
    await using other = await visit()
    await signIn(desk, sheaf, email)
    await signIn(other, sheaf, email)
    await desk.page.goto(`${sheaf.url}/console/profile`)
    await desk.page.getByLabel('Name', { exact: true }).fill('Erin E.')
    await desk.page.getByRole('button', { name: 'Save name' }).click()
    await desk.page.getByText('Name saved.').waitFor()

    await desk.page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await desk.page.waitForURL(/\/sign-in/)
    await other.page.goto(`${sheaf.url}/console/profile`)
    await other.page.waitForURL(/\/sign-in/)

    await signIn(desk, sheaf, email)
    await desk.page.goto(`${sheaf.url}/console/profile`)
    await desk.page.getByRole('button', { name: 'Delete account' }).click()
    const dialog = desk.page.getByRole('dialog')
    const submit = dialog.getByRole('button', { name: 'Delete account' })
    expect(await submit.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('Erin E.')
    await submit.click()
    await desk.page.waitForURL(/\/sign-in/)
    expect(await statusWith(key)).toBe(401)
  })
})
