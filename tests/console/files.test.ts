import type { Rest } from '@sheaf/testkit/rest'
import type { RunningSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { formOf } from '../support/attachments'
import { newDocument } from '../support/system'
import { findUrl, findViolations, useChromium, type Visit } from './chromium'

const { openDesk } = useChromium()
let sheaf: RunningSheaf
let rest: Rest
let desk: Visit
let page: Page
let doc: string
beforeAll(async () => {
  ;({ sheaf, desk, page, rest } = await openDesk({ SHEAF_MAX_ATTACHMENT_MB: '1' }))
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
