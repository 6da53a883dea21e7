import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { Page } from 'playwright-core'
import { requireOk } from '../support/webhooks'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { findUrl, patience, useChromium } from './chromium'

const isOfPeople = /tables\/People\/records/

const { openDesk } = useChromium()
let page: Page
let rest: Rest
let tasks: string
beforeAll(async () => {
  const desk = await openDesk()
  ;({ page, rest } = desk)
  const doc = await newDocument(rest, 'References')
  tasks = `${doc}/tables/Tasks`
  await addTable(rest, doc, 'People', { Name: 'Text' })
  const names = ['Cleo', 'Ada', 'Bob'].map((Name) => ({ Name }))
  await addRecords(rest, `${doc}/tables/People`, names)
  await addTable(rest, doc, 'Tasks', { Person: 'Ref:People', People: 'RefList:People' })
  await addRecords(rest, tasks, [{}])
  await page.goto(`${await findUrl(desk.sheaf, rest, doc)}/tables/Tasks`)
})

const cell = (column: string) => page.locator(`.ag-row[row-index="0"] [col-id="${column}"]`)
const option = (name: string) => page.getByRole('option', { name, exact: true })

async function open(column: string, key: string): Promise<void> {
  await cell(column).click({ position: { x: 4, y: 4 } })
  await page.keyboard.press(key)
}

async function press(...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Waits until the editor is closed and a value is stored. */
async function picks(column: string, value: unknown): Promise<void> {
  await page.locator('.ag-popup-editor').waitFor({ state: 'detached' })
  await eventually(async () => {
    const [row] = await readRecords(rest, tasks)
    expect(row?.fields[column]).toEqual(value)
  }, patience)
}

/** Reads of the other table wait until the returned function is called. */
async function holdList(): Promise<() => void> {
  let answer: () => void = () => {}
  const isOver = new Promise<void>((resolve) => (answer = resolve))
  await page.route(isOfPeople, async (route) => {
    await isOver
    await route.continue()
  })
  return answer
}

describe('a reference', () => {
  it('shows the new label of its row when somebody else changes it', async () => {
    await addRecords(rest, tasks, [{ Person: 2, People: ['L', 2, 3] }])
    const shown = (column: string) => page.locator(`.ag-row[row-index="1"] [col-id="${column}"]`)
    await shown('Person').getByText('Ada').waitFor()
    await shown('People').getByText('Ada').waitFor()
    const rename = async (Name: string) => {
      const people = tasks.replace(/Tasks$/, 'People')
      const body = { records: [{ id: 2, fields: { Name } }] }
      requireOk(await rest.patch(`${people}/records`, { body }))
      await shown('Person').getByText(Name).waitFor()
      await shown('People').getByText(Name).waitFor()
    }
    await rename('Grace')
    await rename('Ada')
  })
})

describe('the list of a reference', () => {
  it('that has not arrived picks what the arrow keys and Enter then mark', async () => {
    const arrive = await holdList()
    await open('Person', 'Enter')
    await press('ArrowDown', 'ArrowDown', 'Enter')
    arrive()
    await picks('Person', 3)
  })

  it('picks the option marked by arrow keys, by typing, or with the pointer', async () => {
    await open('Person', 'Enter')
    await option('Bob').waitFor()
    // From Bob, which is picked, in the order of the names.
    await press('ArrowDown', 'Enter')
    await picks('Person', 1)
    await open('Person', 'a')
    await option('Ada').waitFor()
    await press('Enter')
    await picks('Person', 2)
    await open('Person', 'b')
    await press('Enter')
    await picks('Person', 3)
    await open('Person', 'Enter')
    await option('Cleo').click()
    await picks('Person', 1)
  })

  it('of several picks those marked, one by one', async () => {
    await open('People', 'Enter')
    await option('Ada').waitFor()
    await press('ArrowDown', 'Space')
    await option('Ada').and(page.locator('[aria-selected=true]')).waitFor()
    await page.keyboard.type('cl')
    await option('Cleo').waitFor()
    await press('Enter')
    await option('Cleo').and(page.locator('[aria-selected=true]')).waitFor()
    await option('Bob').click()
    await press('Enter')
    await picks('People', ['L', 2, 1, 3])
  })
})
