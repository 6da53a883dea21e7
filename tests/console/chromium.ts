import { readFileSync } from 'node:fs'
import { chromiumArguments, findChromium } from '@sheaf/testkit/chromium-path'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')
/** A machine that is busy with other tests takes its time. */
const PATIENCE_MS = 60_000

/** A browser that a person has opened, and what went wrong in it. */
export interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** What the console of the browser told as an error, answers of 4xx and 5xx with it. */
  readonly faults: readonly string[]
}

/** A Sheaf, and its owner at its console. */
interface OwnersDesk {
  readonly sheaf: RunningSheaf
  readonly desk: Visit
  readonly page: Page
  /** A client with the owner's key. */
  readonly rest: Rest
}

/** Opens a browser, as long as Chromium is there. */
interface Chromium {
  visit(options?: BrowserContextOptions): Promise<Visit>
  /** Starts a Sheaf and signs its owner in; both are there until the last test of the file. */
  openDesk(env?: Readonly<Record<string, string>>): Promise<OwnersDesk>
}

/** Chromium around the tests of the file that calls it; it is there once tests run. */
export function useChromium(): Chromium {
  let browser: Browser
  const opened: AsyncDisposable[] = []
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArguments() })
  })
  afterAll(async () => {
    for (const part of opened.reverse()) await part[Symbol.asyncDispose]()
    await browser?.close()
  })
  return {
    visit: (options) => openVisit(browser, options),
    async openDesk(env) {
      const sheaf = await startSheaf({ env: { SHEAF_LOOP_DELAY_MS: '60000', ...env } })
      opened.push(sheaf)
      const desk = await openVisit(browser)
      opened.push(desk)
      await signIn(desk, sheaf, 'you@example.com')
      return { sheaf, desk, page: desk.page, rest: createRest(sheaf.url, sheaf.ownerKey) }
    },
  }
}

/** Where the console shows a document, given its path in the API. */
export async function findAddress(sheaf: RunningSheaf, rest: Rest, doc: string): Promise<string> {
  const { id } = (await rest.get<{ id: number }>(doc)).body
  return `${sheaf.url}/console/docs/${id}`
}

async function openVisit(browser: Browser, options?: BrowserContextOptions): Promise<Visit> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', ({ message }) => faults.push(message))
  return { page, context, faults, [Symbol.asyncDispose]: () => context.close() }
}

/** Signs somebody in by a link, as the operator gets one for them; ends on the first page of the console. */
export async function signIn({ page }: Visit, sheaf: RunningSheaf, email: string): Promise<void> {
  const { url } = JSON.parse(await sheaf.operate('sign-in', email, '--json')) as { url: string }
  await followLink(page, url)
}

/** Opens a link that signs in, and says yes; ends on the first page of the console. */
export async function followLink(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.locator('form button').click()
  await page.getByRole('heading', { name: 'Sites' }).waitFor()
}

/** What axe finds wrong with a page, a line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  // Animations are over, and colours what they will be.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate(axeSource)
  return page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary)))`,
  )
}
