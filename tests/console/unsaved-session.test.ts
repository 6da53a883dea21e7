import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { BrowserContext, Page } from 'playwright-core'
import { addRecords, emailOf, newDocument } from '../support/system'
import { findUrl, findViolations, patience, signIn, useChromium } from './chromium'
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
  typeIn,
} from './unsaved-values'

const chromium = useChromium()
let opened: Awaited<ReturnType<typeof chromium.openDesk>>
let context: BrowserContext
let page: Page
let rest: Rest
let doc: string
let docUrl: string
beforeAll(async () => {
  opened = await chromium.openDesk()
  context = opened.desk.context
  rest = opened.rest
  doc = await newDocument(rest, 'Sessions')
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

async function openTable(id: string): Promise<string> {
  const path = await openPeople(page, { rest, doc, docUrl }, id)
  await page.getByText('Live', { exact: true }).waitFor()
  return path
}

/** Answers the questions of the browser with yes. Returns their kinds. */
function acceptQuestions(): readonly string[] {
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    return dialog.accept()
  })
  return asked
}

const enter = (row: number, text: string) => enterIn(page, row, text)

const names = (path: string) => namesIn(rest, path)

const stores = (path: string, expected: unknown[]) =>
  eventually(async () => expect(await names(path)).toEqual(expected), patience)

describe('what the browser has of a user', () => {
  const wait = async (id: string) => {
    const path = await openTable(id)
    await goAway()
    await enter(0, 'Grace')
    await says(page, '1 cell is not saved')
    await isKept(page, 'Grace')
    return path
  }

  it('is deleted when the user signs out, after a question', async () => {
    const path = await wait('Left')
    const menu = page.getByRole('button', { name: 'you', exact: true })
    await menu.click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    const question = page.getByRole('dialog', { name: 'Sign out without saving?' })
    await question.getByText('1 cell is not saved yet.').waitFor()
    expect(await findViolations(page)).toEqual([])
    await question.getByRole('button', { name: 'Cancel' }).click()
    await cellOf(page, 0).getByText('Grace').waitFor()
    await menu.click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await question.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(/\/sign-in/)
    await isForgotten(page)
    await comeBack()
    await signIn({ ...opened.desk, page }, opened.sheaf, opened.email)
    await page.goto(`${docUrl}/tables/Left`)
    await cellOf(page, 0).getByText('Ada').waitFor()
    expect(await names(path)).toEqual(['Ada', 'Zoe'])
  })

  it('is asked about in each tab, until it is saved', async () => {
    await wait('Tabs')
    const other = await context.newPage()
    await other.goto(`${opened.sheaf.url}/console/`)
    const isSignOut = (url: URL) => url.pathname.endsWith('/sign-out')
    const refusal = { status: 400, json: { error: 'refused', details: {} } }
    await context.route(isSignOut, (route) => route.fulfill(refusal))
    const question = (shown: Page) =>
      shown.getByRole('dialog', { name: 'Sign out without saving?' })
    const ask = async (shown: Page) => {
      await shown.getByRole('button', { name: 'you', exact: true }).click()
      await shown.getByRole('menuitem', { name: 'Sign out' }).click()
    }
    await ask(other)
    await question(other).getByText('1 cell is not saved yet, counting').waitFor()
    expect(await findViolations(other)).toEqual([])
    await question(other).getByRole('button', { name: 'Cancel' }).click()
    await ask(page)
    await question(page).getByText('1 cell is not saved yet. Signing').waitFor()
    await comeBack()
    await page.getByText('refused').waitFor()
    await goAway()
    await enter(1, 'Mia')
    await says(page, '1 cell is not saved')
    expect(await question(page).count()).toBe(0)
    await comeBack()
    await nothingWaits(page)
  })

  it('is deleted when another user signs in, and kept when the session ends otherwise', async () => {
    const path = await wait('Ended')
    await page.close()
    await context.clearCookies()
    await comeBack()
    page = await context.newPage()
    await signIn({ ...opened.desk, page }, opened.sheaf, opened.email)
    await stores(path, ['Grace', 'Zoe'])
    await isForgotten(page)
    const other = await wait('Other')
    await page.close()
    await context.clearCookies()
    page = await context.newPage()
    const gus = await opened.sheaf.createUser(emailOf('gus'), 'Gus')
    await signIn({ ...opened.desk, page }, opened.sheaf, gus.email)
    await isForgotten(page)
    expect(await page.locator('.unsaved.none').count()).toBe(1)
    await context.clearCookies()
    await comeBack()
    await signIn({ ...opened.desk, page }, opened.sheaf, opened.email)
    await isForgotten(page)
    expect(await names(other)).toEqual(['Ada', 'Zoe'])
  })
})

describe('cells that are edited after the session has ended', () => {
  it('are saved when the user signs in again in the same tab, which asks nothing', async () => {
    const path = await openTable('Again')
    const { sheaf } = opened
    await context.clearCookies()
    await enter(0, 'Grace')
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    const asked = acceptQuestions()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/sign-in\?next=/)
    expect(asked).toEqual([])
    await signIn({ ...opened.desk, page }, sheaf, opened.email)
    await stores(path, ['Grace', 'Zoe'])
  })

  it('are kept while another user is signed in, and saved once the same user has signed in again', async () => {
    const path = await openTable('Edited')
    const { sheaf } = opened
    await context.clearCookies()
    await enter(0, 'Grace')
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await page.getByText('1 cell is not saved yet. What you entered will be saved').waitFor()
    expect(await findViolations(page)).toEqual([])
    const tab = await context.newPage()
    const other = await sheaf.createUser(emailOf('ivy'), 'Ivy')
    await signIn({ ...opened.desk, page: tab }, sheaf, other.email)
    await page.getByRole('heading', { name: 'Another user has signed in' }).waitFor()
    expect(await names(path)).toContain('Ada')
    await context.clearCookies()
    await signIn({ ...opened.desk, page: tab }, sheaf, opened.email)
    await stores(path, ['Grace', 'Zoe'])
    await cellOf(page, 0).getByText('Grace').waitFor()
    await nothingWaits(page)
  })

  it('are kept when their editor is open as the page notices it', async () => {
    const path = await openTable('Typing')
    const asked = acceptQuestions()
    await typeIn(page, 0, 'Grace')
    await context.clearCookies()
    // A change, of which the page reads rows.
    await addRecords(rest, path, [{ Name: 'Mia', Age: 7 }])
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await page.getByText('1 cell is not saved yet. What you entered will be saved').waitFor()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/sign-in\?next=/)
    expect(asked).toEqual([])
    await signIn({ ...opened.desk, page }, opened.sheaf, opened.email)
    await stores(path, ['Grace', 'Zoe', 'Mia'])
  })
})

describe('what is not in cells when the session ends', () => {
  /** Ends the session, and lets the page notice it. */
  async function end(path: string): Promise<void> {
    await context.clearCookies()
    await addRecords(rest, path, [{ Name: 'Mia', Age: 7 }])
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  }

  it('stays in the page, which goes on once the same user has signed in again', async () => {
    const path = await openTable('Drafts')
    await page.getByRole('button', { name: 'Column menu: Name', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Edit column…' }).click()
    const panel = page.locator('.side-panel')
    await panel.getByLabel('Description').fill('A long text')
    await end(path)
    const ended = page.getByRole('dialog', { name: 'You are signed out' })
    await ended.getByText('Not saved: the column “Name”.').waitFor()
    expect(await findViolations(page)).toEqual([])
    await ended.getByRole('button', { name: 'Continue' }).click()
    await ended.waitFor()
    const tab = await context.newPage()
    const other = await opened.sheaf.createUser(emailOf('bo'), 'Bo')
    await signIn({ ...opened.desk, page: tab }, opened.sheaf, other.email)
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`)
    const taken = page.getByRole('dialog', { name: 'Another user has signed in' })
    await taken.waitFor()
    const backdrop = `getComputedStyle(document.querySelector('dialog[open]'), '::backdrop').backgroundColor`
    expect(await page.evaluate(backdrop)).not.toMatch(/rgba|\//)
    await context.clearCookies()
    await signIn({ ...opened.desk, page: tab }, opened.sheaf, opened.email)
    // The window has the focus again.
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`)
    await ended.waitFor({ state: 'detached' })
    expect(await panel.getByLabel('Description').inputValue()).toBe('A long text')
    await cellOf(page, 2).getByText('Mia').waitFor()
    await panel.getByRole('button', { name: 'Save' }).click()
    await page.locator('.head[title$="A long text"]').waitFor()
  })

  it('is left without another question', async () => {
    const path = await openTable('Dialogs')
    const asked = acceptQuestions()
    await page.getByRole('button', { name: 'Add table' }).click()
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Plants')
    await end(path)
    await page.getByText('Not saved: “Add table”.').waitFor()
    await page.getByRole('button', { name: 'Leave without saving' }).click()
    await page.waitForURL(/\/sign-in\?next=/)
    expect(asked).toEqual([])
    await signIn({ ...opened.desk, page }, opened.sheaf, opened.email)
  })
})
