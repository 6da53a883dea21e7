import { readFileSync } from 'node:fs'
import { chromiumArguments, findChromium } from '@sheaf/testkit/chromium-path'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf, type UsableSheaf } from '@sheaf/testkit/sheaf'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  type Request,
} from 'playwright-core'
import { joinSheaf } from '../support/system'

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')
/** Generous, because the machine may be busy with other tests. */
const PATIENCE_MS = 60_000
/** Limits of `eventually` for what a page shows or stores. */
export const patience = { timeoutMs: PATIENCE_MS, everyMs: 50 }
/** Time without a request after which a page has all that it shows. */
const QUIET_MS = 500

/** A browser page with the errors that occurred in it. */
export interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors in the console of the browser, including 4xx and 5xx responses. */
  readonly faults: readonly string[]
  /** Resolves once no request has been in progress for half a second, except streams of changes, which do not end. */
  settled(): Promise<void>
}

/** A Sheaf with a user, whose name is `you`, signed in to the console. */
export interface Desk<Sheaf extends UsableSheaf = UsableSheaf> {
  readonly sheaf: Sheaf
  readonly email: string
  readonly desk: Visit
  readonly page: Page
  /** A client with the user's key. */
  readonly rest: Rest
}

/** Opens pages in a running Chromium. */
interface Chromium {
  visit(options?: BrowserContextOptions): Promise<Visit>
  /** Signs a new user of the Sheaf that suites share in, on a page that is closed after the last test of the file. */
  openDesk(options?: BrowserContextOptions): Promise<Desk>
  /**
   * Starts a Sheaf and signs its owner in: for other settings, for processes that are killed, and for much data. It is
   * stopped after the last test of the file.
   */
  openOwnDesk(env?: Readonly<Record<string, string>>): Promise<Desk<RunningSheaf>>
}

/** Starts Chromium before the tests of the calling file and closes it afterwards. */
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
  const seat = async <Sheaf extends UsableSheaf>(
    sheaf: Sheaf,
    email: string,
    options?: BrowserContextOptions,
  ): Promise<Desk<Sheaf>> => {
    const desk = await openVisit(browser, options)
    opened.push(desk)
    await signIn(desk, sheaf, email)
    return { sheaf, email, desk, page: desk.page, rest: createRest(sheaf.url, sheaf.ownerKey) }
  }
  return {
    visit: (options) => openVisit(browser, options),
    async openDesk(options) {
      const sheaf = await joinSheaf('you', 'you')
      return seat(sheaf, sheaf.owner.email, options)
    },
    async openOwnDesk(env) {
      const sheaf = await startSheaf({ env: { SHEAF_LOOP_DELAY_MS: '60000', ...env } })
      opened.push(sheaf)
      return seat(sheaf, 'you@example.com')
    },
  }
}

/** Returns the console URL of a document, given its API path. */
export async function findUrl(sheaf: UsableSheaf, rest: Rest, doc: string): Promise<string> {
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
  const settled = watchRequests(page)
  return { page, context, faults, settled, [Symbol.asyncDispose]: () => context.close() }
}

/** Follows the requests of a page; see Visit.settled. */
function watchRequests(page: Page): () => Promise<void> {
  const inProgress = new Set<Request>()
  let changedAt = performance.now()
  const end = (request: Request) => {
    if (inProgress.delete(request)) changedAt = performance.now()
  }
  page.on('request', (request) => {
    if (/\/changes(\?|$)/.test(request.url())) return
    inProgress.add(request)
    changedAt = performance.now()
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return async () => {
    const isQuiet = () => inProgress.size === 0 && performance.now() - changedAt > QUIET_MS
    await eventually(isQuiet, { timeoutMs: PATIENCE_MS })
  }
}

/** Signs a user in with a link created by the operator. Ends on the first page of the console. */
export async function signIn({ page }: Visit, sheaf: UsableSheaf, email: string): Promise<void> {
  const { url } = JSON.parse(await sheaf.operate('sign-in', email, '--json')) as { url: string }
  await followLink(page, url)
}

/** Opens a sign-in link and confirms it. Ends on the first page of the console. */
export async function followLink(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.locator('form button').click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
}

/** Returns the accessibility violations that axe finds on the page, one per line. */
export async function findViolations(page: Page): Promise<string[]> {
  // Skip animations, so that colours are final.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate(axeSource)
  // Details of other results take half of the time.
  return page.evaluate<string[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary)))`,
  )
}
