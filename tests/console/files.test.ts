import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { RunningSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { formOf } from '../support/attachments'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { findUrl, findViolations, patience, useChromium, type Visit } from './chromium'

const { openOwnDesk } = useChromium()
let sheaf: RunningSheaf
let rest: Rest
let desk: Visit
let page: Page
let doc: string
beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openOwnDesk({ SHEAF_MAX_ATTACHMENT_MB: '1' }))
})
beforeEach(async () => {
  await page.unrouteAll()
  doc = await newDocument(rest, 'Files')
})

async function openFiles(): Promise<void> {
  await page.goto(`${await findUrl(sheaf, rest, doc)}/files`)
  await page.getByLabel('Attach files').waitFor()
}

const file = (name: string, bytes: number) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.alloc(bytes, name),
})

/** Holds uploads back until the returned function is called. */
async function holdUploads(): Promise<() => void> {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/attachments', async (route) => {
    if (route.request().method() === 'POST') await held
    // A canceled request cannot continue.
    await route.continue().catch(() => {})
  })
  return release
}

/** Returns the text of the status regions in the accessibility tree of the browser. */
async function readStatus(): Promise<string> {
  const session = await desk.context.newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const textOf = (id: string): string => {
    const node = byId.get(id)
    if (node?.role?.value === 'StaticText') return String(node.name?.value ?? '')
    return (node?.childIds ?? []).map(textOf).join('')
  }
  return nodes
    .filter(({ role, ignored }) => role?.value === 'status' && !ignored)
    .map(({ nodeId }) => textOf(nodeId))
    .join('\n')
}

describe('files', () => {
  it('are uploaded together, and one that is too large is rejected by name', async () => {
    await openFiles()
    const field = page.getByLabel('Attach files')
    await field.setInputFiles([file('a.txt', 10), file('big.bin', 3 << 20), file('b.txt', 20)])
    const refusal = page.getByRole('alert')
    await refusal.waitFor()
    expect(await refusal.textContent()).toMatch(
      /^big\.bin could not be uploaded: .*must not exceed 1 MB/,
    )
    await page.getByText('2 files uploaded.').waitFor()
    for (const name of ['a.txt', 'b.txt']) await page.getByRole('link', { name }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Dismiss big.bin' }).click()
    await refusal.waitFor({ state: 'detached' })
    const { body } = await rest.get<{ records: unknown[] }>(`${doc}/attachments`)
    expect(body.records).toHaveLength(2)
  })

  it('show the progress of each, and can be canceled', async () => {
    await openFiles()
    const release = await holdUploads()
    await page.getByLabel('Attach files').setInputFiles([file('a.txt', 10), file('b.txt', 20)])
    await page.getByRole('progressbar', { name: 'Upload of a.txt' }).waitFor()
    await page.getByText('20 B, queued').waitFor()
    await page.getByRole('button', { name: 'Cancel a.txt' }).click()
    release()
    await page.getByRole('link', { name: 'b.txt' }).waitFor()
    const { body } = await rest.get<{ records: unknown[] }>(`${doc}/attachments`)
    expect(body.records).toHaveLength(1)
  })

  it('are listed page by page', async () => {
    const names = Array.from({ length: 120 }, (_, i) => `${i}.txt`)
    const body = formOf(names.map((name) => [name, name]))
    await rest.post(`${doc}/attachments`, { body })
    await openFiles()
    const more = page.getByRole('button', { name: 'Show more' })
    await more.click()
    await more.waitFor({ state: 'detached' })
    const shown = await page.getByRole('link', { name: /^\d+\.txt$/ }).allTextContents()
    expect(shown.sort()).toEqual(names.sort())
  })
})

describe('files that are attached to a cell', () => {
  const cell = (column: string) => page.locator(`.ag-row[row-index="0"] [col-id="${column}"]`)
  const field = () => page.getByLabel('Attach files')

  /** Opens a table with a column of files, and the editor of its first cell. */
  async function openEditor(): Promise<void> {
    await addTable(rest, doc, 'Docs', { Name: 'Text', Papers: 'Attachments' })
    await addRecords(rest, `${doc}/tables/Docs`, [{ Name: 'one' }])
    await page.goto(`${await findUrl(sheaf, rest, doc)}/tables/Docs`)
    await cell('Name').getByText('one').waitFor()
    await cell('Papers').dblclick()
    await field().waitFor()
  }

  it('are added although the editor is closed during the upload', async () => {
    await openEditor()
    const release = await holdUploads()
    await field().setInputFiles([file('a.txt', 10), file('b.txt', 20)])
    await page.getByRole('progressbar', { name: 'Upload' }).waitFor()
    await cell('Name').click()
    await page.getByText('The upload goes on.').waitFor()
    await field().waitFor({ state: 'detached' })
    release()
    await cell('Papers').getByText('a.txt').waitFor()
    await eventually(async () => {
      const [row] = await readRecords(rest, `${doc}/tables/Docs`)
      expect(row?.fields.Papers).toEqual(['L', 1, 2])
    }, patience)
  })

  it('are added to those that were attached to the cell during the upload', async () => {
    await openEditor()
    const release = await holdUploads()
    await field().setInputFiles(file('late.txt', 10))
    await page.getByRole('progressbar', { name: 'Upload' }).waitFor()
    await cell('Name').click()
    await page.getByText('The upload goes on.').waitFor()
    await page.route('**/attachments', (route) => route.continue(), { times: 1 })
    await cell('Papers').dblclick()
    await field().setInputFiles(file('early.txt', 20))
    await page.getByRole('link', { name: 'early.txt' }).waitFor()
    await cell('Name').click()
    await cell('Papers').getByText('early.txt').waitFor()
    release()
    await cell('Papers').getByText('late.txt').waitFor()
    await eventually(async () => {
      const [row] = await readRecords(rest, `${doc}/tables/Docs`)
      expect(row?.fields.Papers).toEqual(['L', 1, 2])
    }, patience)
    expect(await page.getByRole('button', { name: 'Decide…' }).count()).toBe(0)
  })

  it('say why they were not added after the editor was closed', async () => {
    await openEditor()
    const release = await holdUploads()
    await field().setInputFiles(file('big.bin', 3 << 20))
    await page.getByRole('progressbar', { name: 'Upload' }).waitFor()
    await cell('Name').click()
    await field().waitFor({ state: 'detached' })
    release()
    await page.getByText(/^big\.bin could not be uploaded: .*must not exceed 1 MB/).waitFor()
  })

  it('are added to a row in its panel, also after it was left; Escape cancels', async () => {
    await openEditor()
    const release = await holdUploads()
    await field().setInputFiles(file('a.txt', 10))
    await page.getByRole('progressbar', { name: 'Upload' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Upload cancelled.').waitFor()
    await page.getByRole('button', { name: 'Open row 1' }).click()
    await page.getByRole('button', { name: 'Edit Papers' }).click()
    await field().setInputFiles(file('b.txt', 20))
    await page.getByRole('progressbar', { name: 'Upload' }).waitFor()
    await page.getByRole('button', { name: 'Edit Name' }).click()
    release()
    await cell('Papers').getByText('b.txt').waitFor()
    await eventually(async () => {
      const [row] = await readRecords(rest, `${doc}/tables/Docs`)
      expect(row?.fields.Papers).toEqual(['L', 1])
    }, patience)
  })
})

describe('a toast', () => {
  it('is announced and visible while a dialog is open', async () => {
    await openFiles()
    const release = await holdUploads()
    await page.getByLabel('Attach files').setInputFiles(file('a.txt', 10))
    await page.getByRole('button', { name: 'Access' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    release()
    const toast = page.getByText('File uploaded.')
    await toast.waitFor()
    expect(await readStatus()).toContain('File uploaded.')
    const box = await toast.boundingBox()
    const [x = 0, y = 0] = box ? [box.x + box.width / 2, box.y + box.height / 2] : []
    const isOnTop = `document.elementFromPoint(${x}, ${y}).closest('.toast') !== null`
    expect(await page.evaluate(isOnTop)).toBe(true)
  })
})
