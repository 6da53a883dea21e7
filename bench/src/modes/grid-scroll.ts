import { chromiumArguments, findChromium } from '@sheaf/testkit/chromium-path'
import { eventually } from '@sheaf/testkit/eventually'
import { chromium, type CDPSession, type Page } from 'playwright-core'
import { startGenerator } from '../load/generator'
import type { Options } from '../options'
import type { Figure, Report } from '../report'
import { columns } from '../load/rows'
import { median, percentile } from '../statistics'
import { startSheafTarget, type SheafTarget } from '../target'
import { watchFrames, type FrameStatistics } from './frame-watch'
import { fill } from './compare'
import { measureFirstPage, VIEWPORT } from './first-page'

const PATIENCE_MS = 120_000
/** Duration of each kind of scrolling. */
const SCROLL_MS = 6_000
const WHEEL_EVERY_MS = 50
const STEADY_PIXELS = 120
const QUICK_PIXELS = 1_200
const DRAG_STEPS = 60
const JUMPS = 12
/** Rows of the table of a usual size. */
const USUAL_ROWS = 34_000
/** Pages in an order until it is kept. */
const SORTS = 4
const MAX_JUMP_MS = 300
const MAX_BLANK_MS = 100

/**
 * Measures the console's grid on a large table: how long rows in view lack data, how smooth scrolling is, and
 * memory.
 */
export async function measureGrid(options: Options, env: Record<string, string>): Promise<Report> {
  await using generator = startGenerator()
  await using target = await startSheafTarget(env)
  await fill(generator, target, options.rows)
  const usualPath = await target.addDocument('Usual')
  await fill(generator, { ...target, recordsPath: usualPath }, USUAL_ROWS)
  process.stderr.write(`loaded: ${options.rows} rows\n`)
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...chromiumArguments(), '--enable-precise-memory-info'],
  })
  try {
    const page = await browser.newPage({ viewport: VIEWPORT })
    page.setDefaultTimeout(PATIENCE_MS)
    const signedIn = page.context()
    await signIn(page, target)
    const figures: Figure[] = []
    for (const [rows, path] of [
      [USUAL_ROWS, usualPath],
      [options.rows, target.recordsPath],
    ] as const) {
      const name = `${rows.toLocaleString('en')} rows`
      figures.push(
        ...(await measureFirstPage(browser, { signedIn, url: urlOf(target, path), name })),
      )
    }
    figures.push(...(await measurePage(page, target)))
    figures.push(await measureSortedJump(page, target))
    const about =
      `Table of ${options.rows} rows × ${Object.keys(columns).length} columns in Chromium without a window, ` +
      'which shares the cores with Sheaf. A view is blank as long as it shows no row, and partly blank as long as a part of it shows none; while rows are read it shows some nearby, dimmed, each with its own number. All as the page sees it, frame by frame. The first page is opened by a browser without a cache, on the same machine.'
    return { mode: 'grid', about, figures, tables: [] }
  } finally {
    await browser.close()
  }
}

async function measurePage(page: Page, target: SheafTarget): Promise<Figure[]> {
  await open(page, urlOf(target, target.recordsPath))
  const memory = await page.context().newCDPSession(page)
  const before = await heapMb(memory)
  const figures: Figure[] = []
  for (const [name, scroll] of Object.entries(ways)) {
    const seen = await watchFrames(page, () => scroll(page))
    figures.push(...tell(name, seen))
    process.stderr.write(`measured: ${name}\n`)
  }
  figures.push(...(await measureJumps(page)))
  figures.push({ name: 'heap before, after collection', unit: 'MB', sheaf: before })
  figures.push({ name: 'heap after all that', unit: 'MB', sheaf: await heapMb(memory) })
  const nodes = await page.evaluate<number>('document.querySelectorAll("*").length')
  figures.push({ name: 'elements on the page', unit: '', sheaf: nodes })
  return figures
}

const urlOf = ({ sheaf }: SheafTarget, path: string): string =>
  sheaf.url + path.replace('/api/', '/console/').replace(/\/records$/, '')

async function signIn(page: Page, { sheaf }: SheafTarget): Promise<void> {
  const printed = await sheaf.operate('sign-in', 'you@example.com', '--json')
  await page.goto((JSON.parse(printed) as { url: string }).url)
  await page.locator('form button').click()
  await page.getByRole('heading', { name: 'Sites' }).waitFor()
}

async function open(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.locator('.ag-row:not(.row-waiting) .ag-cell').first().waitFor()
  await page.getByText(/\d rows$/).waitFor()
  await page.locator('.ag-grid-viewport').hover()
}

const scrollTo = (page: Page, share: number): Promise<void> =>
  page.evaluate<void>(`(() => {
    const body = document.querySelector('.ag-grid-viewport')
    body.scrollTop = ${share} * (body.scrollHeight - body.clientHeight)
  })()`)

async function wheel(page: Page, pixels: number): Promise<void> {
  const end = performance.now() + SCROLL_MS
  while (performance.now() < end) {
    await page.mouse.wheel(0, pixels)
    await page.waitForTimeout(WHEEL_EVERY_MS)
  }
}

const ways: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'steadily by wheel': (page) => wheel(page, STEADY_PIXELS),
  'quickly by wheel': (page) => wheel(page, QUICK_PIXELS),
  'back, quickly': (page) => wheel(page, -QUICK_PIXELS),
  async 'by the bar, from top to end'(page) {
    for (let step = 1; step <= DRAG_STEPS; step++) {
      await scrollTo(page, step / DRAG_STEPS)
      await page.waitForTimeout(SCROLL_MS / DRAG_STEPS)
    }
  },
}

const blankGoal = { side: 'at most', value: MAX_BLANK_MS, ratio: false } as const

function tell(name: string, { blank, partly, away, frames }: FrameStatistics): Figure[] {
  return [
    { name: `${name}: longest blank`, unit: 'ms', sheaf: blank, goal: blankGoal },
    { name: `${name}: longest partly blank`, unit: 'ms', sheaf: partly },
    { name: `${name}: longest without the rows themselves`, unit: 'ms', sheaf: away },
    { name: `${name}: frame, median`, unit: 'ms', sheaf: median([...frames]) },
    { name: `${name}: frame, 95 %`, unit: 'ms', sheaf: percentile([...frames], 0.95) },
  ]
}

/** Jumps in a table that is sorted by a number. The order is kept once it was asked for several times. */
async function measureSortedJump(page: Page, target: SheafTarget): Promise<Figure> {
  const query = { sort: 'Price', limit: '100', offset: '20000' }
  const path = `${target.recordsPath}?${new URLSearchParams(query).toString()}`
  for (let time = 0; time < SORTS; time++) await target.rest.get(path)
  await eventually(async () => (await timeOf(() => target.rest.get(path))) < MAX_JUMP_MS / 2, {
    timeoutMs: PATIENCE_MS,
    everyMs: 1_000,
  })
  await open(page, `${urlOf(target, target.recordsPath)}?sort=Price`)
  const [, jump] = await measureJumps(page)
  if (!jump) throw new Error('no jump was measured')
  const goal = { side: 'at most', value: MAX_JUMP_MS, ratio: false } as const
  return { ...jump, name: 'a jump in a kept order: rows after, median', goal }
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}

async function measureJumps(page: Page): Promise<Figure[]> {
  const waits: number[] = []
  let longestBlank = 0
  for (let jump = 1; jump <= JUMPS; jump++) {
    // Spread over the table, without repeating a position.
    const share = (jump * 0.618) % 1
    const { blank, away } = await watchFrames(page, async () => {
      await scrollTo(page, share)
      await page.waitForTimeout(WHEEL_EVERY_MS)
    })
    waits.push(away)
    longestBlank = Math.max(longestBlank, blank)
  }
  process.stderr.write('measured: jumps\n')
  return [
    { name: 'a jump: longest blank', unit: 'ms', sheaf: longestBlank, goal: blankGoal },
    { name: 'a jump: rows after, median', unit: 'ms', sheaf: median(waits) },
    { name: 'a jump: rows after, longest', unit: 'ms', sheaf: Math.max(...waits) },
  ]
}

async function heapMb(memory: CDPSession): Promise<number> {
  await memory.send('HeapProfiler.collectGarbage')
  const { usedSize } = await memory.send('Runtime.getHeapUsage')
  return usedSize / 1e6
}
