import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Figure } from '../report'
import { median } from '../statistics'

/** Size of the browser's window. */
export const VIEWPORT = { width: 1280, height: 900 }
const TIMES = 3
/** After the first rows, requests that they do not need may still follow. */
const REST_MS = 2_000
const MAX_REQUESTS = 6
const MAX_KB = 450
const MAX_MS = 1_000

/** What opening a page has cost. */
interface Opening {
  readonly ms: number
  readonly requests: number
  readonly kb: number
}

/**
 * Measures how a signed-in browser without a cache opens the page of a table: until its first rows are there, with which requests about
 * its document, and how many bytes of all files on the wire. Medians of three times.
 */
export async function measureFirstPage(
  browser: Browser,
  { signedIn, url, name }: { signedIn: BrowserContext; url: string; name: string },
): Promise<Figure[]> {
  const seen: Opening[] = []
  const storageState = await signedIn.storageState()
  for (let time = 0; time < TIMES; time++) {
    // Each context has an empty cache.
    await using context = await browser.newContext({ storageState, viewport: VIEWPORT })
    seen.push(await openPage(await context.newPage(), url))
  }
  const figure = (
    what: string,
    { unit, most, of }: { unit: string; most: number; of: keyof Opening },
  ): Figure => ({
    name: `${name}: ${what}`,
    unit,
    sheaf: median(seen.map((one) => one[of])),
    goal: { side: 'at most', value: most, ratio: false },
  })
  return [
    figure('first rows, cold', { unit: 'ms', most: MAX_MS, of: 'ms' }),
    figure('requests about the document for the page', {
      unit: '',
      most: MAX_REQUESTS,
      of: 'requests',
    }),
    figure('on the wire for the page', { unit: 'kB', most: MAX_KB, of: 'kb' }),
  ]
}

async function openPage(page: Page, url: string): Promise<Opening> {
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  let requests = 0
  let bytes = 0
  network.on('Network.requestWillBeSent', ({ request }) => {
    if (new URL(request.url).pathname.startsWith('/api/docs/')) requests++
  })
  network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  const begun = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator('.ag-row:not(.row-waiting):not(.row-preview) .ag-cell').first().waitFor()
  const ms = performance.now() - begun
  await page.waitForTimeout(REST_MS)
  return { ms, requests, kb: bytes / 1e3 }
}
