import { eventually } from '@sheaf/testkit/eventually'
import type { Page } from 'playwright-core'
import { addRecords, addTable, newDocument } from '../support/system'
import { findUrl, patience, useChromium } from './chromium'
import { namesIn, storedIn } from './unsaved-values'

const chromium = useChromium()
const ROWS = 6
const ROUNDS = 6
const SEED = Number(process.env.SHEAF_TEST_SEED ?? Date.now() % 100_000)

/** Returns a function that returns pseudorandom integers below a limit. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * limit)
  }
}

it(`keeps all that was entered, however often the gateway is killed and the page closed (seed ${SEED})`, async () => {
  const random = randomOf(SEED)
  const { sheaf, rest, desk } = await chromium.openOwnDesk()
  const { context } = desk
  const doc = await newDocument(rest, 'Faults')
  const path = `${doc}/tables/T`
  await addTable(rest, doc, 'T', { Name: 'Text' })
  await addRecords(
    rest,
    path,
    Array.from({ length: ROWS }, () => ({ Name: 'old' })),
  )
  const url = `${await findUrl(sheaf, rest, doc)}/tables/T`
  const isWrite = ({ pathname }: URL) => pathname.endsWith('/batch')
  const faults = [
    () => context.route(isWrite, (route) => route.abort()),
    () =>
      context.route(isWrite, async (route) => {
        await route.fetch().catch(() => {})
        await route.abort()
      }),
    async () => void (await sheaf.kill('gateway')),
    async () => {},
  ]
  const entered = new Map<number, string>()
  const cellOf = (page: Page, row: number) =>
    page.locator(`.ag-row[row-index="${row}"] [col-id="Name"]`)
  const enter = async (page: Page, row: number, text: string) => {
    await cellOf(page, row).click()
    await page.keyboard.type(text)
    const field = page.locator('.cell-field')
    await eventually(async () => (await field.inputValue()) === text, patience)
    await page.keyboard.press('Enter')
    // The page has accepted it.
    await cellOf(page, row).getByText(text).waitFor()
    // And stored it in the browser, unless the server has it already. (Calls fail while the gateway is away.)
    await eventually(async () => {
      return (await storedIn(page)).includes(text) || (await namesIn(rest, path)).includes(text)
    }, patience)
    entered.set(row, text)
  }
  const open = async () => {
    await sheaf.ready()
    const page = await context.newPage()
    await page.goto(url)
    await cellOf(page, ROWS - 1).waitFor()
    return page
  }
  for (let round = 0; round < ROUNDS; round++) {
    const page = await open()
    const { gateway } = await sheaf.pids()
    await faults[random(faults.length)]?.()
    for (let count = 0; count <= random(4); count++)
      await enter(page, random(ROWS), `round ${round}, ${count}`)
    await page.close()
    if ((await sheaf.pids()).gateway !== gateway) await sheaf.ready()
    await context.unroute(isWrite)
  }
  const page = await open()
  await eventually(async () => {
    const { body } = await rest.get<{ records: { fields: { Name: string } }[] }>(`${path}/records`)
    const stored = new Set(body.records.map(({ fields }) => fields.Name))
    const missing = [...entered.values()].filter((text) => !stored.has(text))
    if (missing.length === 0) return
    // What is not stored is at least shown, as a value that waits or that the user has to decide about.
    const show = page.getByRole('banner').getByRole('button', { name: /^(Show|Decide)…$/ })
    const dialog = page.getByRole('dialog', { name: 'Unsaved values' })
    if (!(await dialog.isVisible())) await show.click({ timeout: 1_000 }).catch(() => {})
    const shown = (await dialog.isVisible())
      ? await dialog.getByRole('listitem').allTextContents()
      : []
    expect(missing.filter((text) => !shown.some((item) => item.includes(text)))).toEqual([])
  }, patience)
}, 600_000)
