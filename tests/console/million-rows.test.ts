import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { Page } from 'playwright-core'
import { addTable, newDocument } from '../support/system'
import { findUrl, patience, useChromium } from './chromium'

const ROWS = 1_000_000
const BATCH = 20_000
const ROW_PIXELS = 34

const chromium = useChromium()
let page: Page
let rest: Rest
let url: string
const requested: string[] = []

beforeAll(async () => {
  const desk = await chromium.openOwnDesk()
  page = desk.page
  rest = desk.rest
  const doc = await newDocument(rest, 'Million')
  await addTable(rest, doc, 'Long', { Name: 'Text' })
  for (let at = 0; at < ROWS; at += BATCH) {
    const records = Array.from({ length: BATCH }, (_, place) => ({
      fields: { Name: `row ${at + place + 1}` },
    }))
    await rest.post(`${doc}/tables/Long/records`, { body: { records } })
  }
  url = `${await findUrl(desk.sheaf, rest, doc)}/tables/Long`
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) requested.push(request.url())
  })
}, 300_000)

/** What the grid shows: rows in view from the top, with their distance from the header, in pixels. */
interface View {
  readonly rows: readonly { readonly index: number; readonly top: number; readonly text: string }[]
  readonly height: number
  readonly isAtTop: boolean
  readonly isAtEnd: boolean
}

/** Reads the view once it is drawn: a wheel that turns before is lost where the page sets the scroll position itself. */
const readView = () =>
  page.evaluate<View>(`(async () => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    const view = document.querySelector('.ag-grid-viewport')
    const top = document.querySelector('.ag-header').getBoundingClientRect().bottom
    const height = view.getBoundingClientRect().top + view.clientHeight - top
    const rows = [...document.querySelectorAll('.ag-row')].map((row) => ({
      index: Number(row.getAttribute('row-index')),
      top: row.getBoundingClientRect().top - top,
      text: row.matches('.row-waiting, .row-preview') ? '' : row.querySelector('[col-id="Name"]').textContent,
    }))
    return {
      rows: rows.filter((row) => row.top > -${ROW_PIXELS} && row.top < height).sort((a, b) => a.index - b.index),
      height,
      isAtTop: view.scrollTop === 0,
      isAtEnd: view.scrollTop + view.clientHeight >= view.scrollHeight - 1,
    }
  })()`)

/** Waits until the view shows rows that are loaded, without a gap and each in its place; resolves to it. */
async function settled(isThere: (view: View) => boolean): Promise<View> {
  return eventually(async () => {
    const view = await readView()
    const { rows, height } = view
    // After a jump there are none until the grid has drawn them, and those at the end of a movement follow it by a frame.
    if (rows.length === 0 || !isThere(view)) return false
    rows.forEach(({ index, top, text }, place) => {
      expect(text).toBe(`row ${index + 1}`)
      expect(index).toBe((rows[0]?.index ?? 0) + place)
      expect(top).toBeCloseTo((rows[0]?.top ?? 0) + place * ROW_PIXELS, 1)
    })
    expect(rows[0]?.top).toBeLessThanOrEqual(0)
    expect((rows.at(-1)?.top ?? 0) + ROW_PIXELS).toBeGreaterThanOrEqual(height)
    return view
  }, patience)
}

/** Pixels of the rows above the view. */
const position = ({ rows: [first] }: View) => (first ? first.index * ROW_PIXELS - first.top : NaN)

const drag = (share: number) =>
  page.evaluate(`(() => {
    const view = document.querySelector('.ag-grid-viewport')
    view.scrollTop = ${share} * (view.scrollHeight - view.clientHeight)
  })()`)

describe('a table of a million rows', () => {
  it('is opened with few requests, none of them twice', async () => {
    // What was read must not become stale meanwhile, however slow the machine is.
    await page.clock.setFixedTime(new Date())
    await page.goto(url)
    await page.getByText('1,000,000 rows').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await settled((view) => view.isAtTop)
    const rows = requested.filter((one) => one.includes('/records'))
    expect(rows).toHaveLength(1)
    expect(requested.length).toBeLessThanOrEqual(7)
  })

  it('has each row in its place at the top, in the middle and at the end', async () => {
    expect(position(await settled(({ rows }) => rows[0]?.index === 0))).toBe(0)
    await drag(0.5)
    const middle = await settled(({ rows }) => (rows[0]?.index ?? 0) > 400_000)
    expect(Math.abs((middle.rows[0]?.index ?? 0) - ROWS / 2)).toBeLessThan(50)
    await drag(1)
    const end = await settled(({ rows }) => rows.at(-1)?.index === ROWS - 1)
    expect((end.rows.at(-1)?.top ?? 0) + ROW_PIXELS).toBeCloseTo(end.height, 0)
    await drag(0)
    expect(position(await settled(({ rows }) => rows[0]?.index === 0))).toBe(0)
  })

  it.each([0.02, 0.3, 0.7, 0.98])('moves by what the wheel turns, at %d of it', async (share) => {
    await drag(share)
    const before = await settled(({ rows }) => Math.abs((rows[0]?.index ?? 0) / ROWS - share) < 0.2)
    await page.locator('.ag-grid-viewport').hover()
    await page.mouse.wheel(0, 10 * ROW_PIXELS)
    const moved = position(before) + 10 * ROW_PIXELS
    await settled((view) => Math.abs(position(view) - moved) < 0.5)
    await page.mouse.wheel(0, -3 * ROW_PIXELS)
    await settled((view) => Math.abs(position(view) - moved + 3 * ROW_PIXELS) < 0.5)
  })

  it('is walked through by keyboard, row by row and from end to end', async () => {
    await drag(0.5)
    const { rows } = await settled((view) => (view.rows[0]?.index ?? 0) > 400_000)
    const middle = rows[5]?.index ?? 0
    await page.locator(`.ag-row[row-index="${middle}"] [col-id="Name"]`).click()
    for (let press = 0; press < 40; press++) await page.keyboard.press('ArrowDown')
    const below = await settled((view) => view.rows.some(({ index }) => index === middle + 40))
    const focused = below.rows.find(({ index }) => index === middle + 40)
    expect((focused?.top ?? 0) + ROW_PIXELS).toBeCloseTo(below.height, 0)
    await page.keyboard.press('Control+Home')
    const top = await settled((view) => view.rows[0]?.index === 0)
    expect([position(top), top.isAtTop]).toEqual([0, true])
    await page.locator('.ag-row[row-index="0"] [col-id="Name"]:focus').waitFor()
    await page.keyboard.press('Control+End')
    const end = await settled((view) => view.rows.at(-1)?.index === ROWS - 1)
    expect(end.isAtEnd).toBe(true)
    await page.locator(`.ag-row[row-index="${ROWS - 1}"] [col-id="Name"]:focus`).waitFor()
  })
})
