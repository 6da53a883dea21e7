import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { Locator, Page } from 'playwright-core'
import { addRecords, addTable } from '../support/system'
import { patience } from './chromium'

/** A document in the API and in the console. */
interface ShownDocument {
  readonly rest: Rest
  readonly doc: string
  readonly docUrl: string
}

/** Opens a new table with two people on a page. Returns its path. */
export async function openPeople(
  shown: Page,
  { rest, doc, docUrl }: ShownDocument,
  id: string,
): Promise<string> {
  const path = `${doc}/tables/${id}`
  await addTable(rest, doc, id, { Name: 'Text', Age: 'Int' })
  await addRecords(rest, path, [
    { Name: 'Ada', Age: 36 },
    { Name: 'Zoe', Age: 5 },
  ])
  await shown.goto(`${docUrl}/tables/${id}`)
  await cellOf(shown, 1).getByText('Zoe').waitFor()
  return path
}

/** Returns the stored names of people. */
export async function namesIn(rest: Rest, path: string): Promise<unknown[]> {
  const { body } = await rest.get<{ records: { fields: { Name: string } }[] }>(`${path}/records`)
  return body.records.map(({ fields }) => fields.Name)
}

/** True for the requests that write cells. */
export const isWrite = (url: URL): boolean => url.pathname.endsWith('/batch')

/** Returns a cell of the grid. */
export const cellOf = (shown: Page, row: number, column = 'Name'): Locator =>
  shown.locator(`.ag-row[row-index="${row}"] [col-id="${column}"]`)

/** Resolves once the header has a text. */
export const says = (shown: Page, text: string): Promise<void> =>
  shown.getByRole('banner').getByText(text).waitFor()

/** Resolves once the header counts no value. */
export const nothingWaits = (shown: Page): Promise<void> =>
  shown.locator('.unsaved.none').waitFor({ state: 'attached' })

/** Types into a cell of the first column, and leaves the editor open. */
export async function typeIn(shown: Page, row: number, text: string): Promise<void> {
  await cellOf(shown, row).click()
  await shown.keyboard.type(text)
  const field = shown.locator('.cell-field')
  await eventually(async () => (await field.inputValue()) === text, patience)
}

/** Enters a text in a cell of the first column. */
export async function enterIn(shown: Page, row: number, text: string): Promise<void> {
  await typeIn(shown, row, text)
  await shown.keyboard.press('Enter')
}

/** Returns what the browser has stored, as text. */
export const storedIn = (shown: Page): Promise<string> =>
  shown.evaluate<string>(`new Promise((resolve, reject) => {
    const opening = indexedDB.open('sheaf-unsaved', 1)
    // The page has not made it yet, and must be the one that does.
    opening.onupgradeneeded = () => opening.transaction.abort()
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const reading = opening.result.transaction('entries').objectStore('entries').getAll()
      reading.onsuccess = () => resolve(JSON.stringify(reading.result))
      reading.onerror = () => reject(reading.error)
    }
  })`)

/**
 * Deletes what the browser has stored. The pages of a test must be closed before: the next ones would restore what it has left, and a
 * page that is closed while its value is being saved leaves that.
 */
export async function forgetAll(shown: Page, origin: string): Promise<void> {
  // A page that does not use the storage.
  await shown.goto(`${origin}/sign-in`)
  await shown.evaluate(`new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase('sheaf-unsaved')
    deleting.onsuccess = resolve
    deleting.onerror = () => reject(deleting.error)
  })`)
  await shown.goto('about:blank')
}

/** Resolves once the browser has stored values: a page that is closed before loses them. */
export const isKept = (shown: Page, ...texts: readonly string[]): Promise<unknown> =>
  eventually(async () => {
    const stored = await storedIn(shown)
    for (const text of texts) expect(stored).toContain(text)
  }, patience)

/** Resolves once the browser has stored nothing. */
export const isForgotten = (shown: Page): Promise<unknown> =>
  eventually(async () => expect(await storedIn(shown)).toBe('[]'), patience)
