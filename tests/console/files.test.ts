import type { Rest } from '@sheaf/testkit/rest'
import type { RunningSheaf } from '@sheaf/testkit/sheaf'
import type { Page } from 'playwright-core'
import { formOf } from '../support/attachments'
import { newDocument } from '../support/system'
import { findAddress, findBarriers, useChromium, type Visit } from './chromium'

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
  await page.goto(`${await findAddress(sheaf, rest, doc)}/files`)
  await page.getByLabel('Attach files').waitFor()
}

const file = (name: string, bytes: number) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.alloc(bytes, name),
})

/** Keeps uploads from being sent until the function that it returns is called. */
async function holdUploads(): Promise<() => void> {
  let goOn = () => {}
  const held = new Promise<void>((resolve) => (goOn = resolve))
  await page.route('**/attachments', async (route) => {
    if (route.request().method() === 'POST') await held
    // One that was stopped meanwhile cannot go on.
    await route.continue().catch(() => {})
  })
  return goOn
}

/** Text of the status regions that the accessibility tree of the browser holds. */
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
  it('are attached several at once, and one that is too large is refused by name', async () => {
    await openFiles()
    const field = page.getByLabel('Attach files')
    await field.setInputFiles([file('a.txt', 10), file('big.bin', 3 << 20), file('b.txt', 20)])
    const refusal = page.getByRole('alert')
    await refusal.waitFor()
    expect(await refusal.textContent()).toMatch(/^big\.bin is not attached: .*must not exceed 1 MB/)
    await page.getByText('2 files are attached.').waitFor()
    for (const name of ['a.txt', 'b.txt']) await page.getByRole('link', { name }).waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Dismiss big.bin' }).click()
    await refusal.waitFor({ state: 'detached' })
    const { body } = await rest.get<{ records: unknown[] }>(`${doc}/attachments`)
    expect(body.records).toHaveLength(2)
  })

  it('tell how far each is, and can be stopped', async () => {
    await openFiles()
    const goOn = await holdUploads()
    await page.getByLabel('Attach files').setInputFiles([file('a.txt', 10), file('b.txt', 20)])
    await page.getByRole('progressbar', { name: 'Upload of a.txt' }).waitFor()
    await page.getByText('20 B, waits').waitFor()
    await page.getByRole('button', { name: 'Stop a.txt' }).click()
    goOn()
    await page.getByRole('link', { name: 'b.txt' }).waitFor()
    const { body } = await rest.get<{ records: unknown[] }>(`${doc}/attachments`)
    expect(body.records).toHaveLength(1)
  })

  it('are all shown, a page after the other', async () => {
    const names = Array.from({ length: 120 }, (_, i) => `${i}.txt`)
    const body = formOf(names.map((name) => [name, name]))
    await rest.post(`${doc}/attachments`, { body })
    await openFiles()
    const more = page.getByRole('button', { name: 'Show more files' })
    await more.click()
    await more.waitFor({ state: 'detached' })
    const shown = await page.getByRole('link', { name: /^\d+\.txt$/ }).allTextContents()
    expect(shown.sort()).toEqual(names.sort())
  })
})

describe('what is told in passing', () => {
  it('is announced and seen while a dialog is open', async () => {
    await openFiles()
    const goOn = await holdUploads()
    await page.getByLabel('Attach files').setInputFiles(file('a.txt', 10))
    await page.getByRole('button', { name: 'Access' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    goOn()
    const toast = page.getByText('The file is attached.')
    await toast.waitFor()
    expect(await readStatus()).toContain('The file is attached.')
    const box = await toast.boundingBox()
    const [x = 0, y = 0] = box ? [box.x + box.width / 2, box.y + box.height / 2] : []
    const isOnTop = `document.elementFromPoint(${x}, ${y}).closest('.toast') !== null`
    expect(await page.evaluate(isOnTop)).toBe(true)
  })
})
