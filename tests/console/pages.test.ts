import { eventually } from '@sheaf/testkit/eventually'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { addRecords, addTable, newDocument } from '../support/system'
import { addWebhook, allowLoopback, requireOk } from '../support/webhooks'
import { findViolations, signIn, useChromium, type Visit } from './chromium'

const { visit } = useChromium()
let sheaf: RunningSheaf
let desk: Visit
let phone: Visit
let docId: number
let receiver: WebhookReceiver
let hookId: string

beforeAll(async () => {
  receiver = await startReceiver()
  sheaf = await startSheaf({ env: { SHEAF_LOOP_DELAY_MS: '60000', ...allowLoopback } })
  docId = await fill(createRest(sheaf.url, sheaf.ownerKey))
  desk = await visit({ colorScheme: 'light', viewport: { width: 1200, height: 850 } })
  await signIn(desk, sheaf, 'you@example.com')
  const storageState = await desk.context.storageState()
  const dark = { colorScheme: 'dark' as const, viewport: { width: 375, height: 740 } }
  phone = await visit({ ...dark, storageState, isMobile: true, hasTouch: true })
})
afterAll(async () => {
  await phone?.[Symbol.asyncDispose]()
  await desk?.[Symbol.asyncDispose]()
  await sheaf?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})

/** Creates a document with a long name and a table with various values. Returns its integer id. */
async function fill(rest: Rest): Promise<number> {
  await rest.post('/api/profile/user/name', { body: { name: 'Somebody with a Very-Long Name' } })
  const doc = await newDocument(rest, 'A document with a rather long name that goes on for a while')
  const table = await addTable(rest, doc, 'People', { Name: 'Text', Born: 'Date', Likes: 'Any' })
  await addRecords(rest, `${doc}/tables/${table}`, [
    { Name: 'Ada', Born: '1815-12-10', Likes: ['L', 'engines'] },
    { Name: null, Born: 'some day', Likes: 3.5 },
  ])
  const hook = {
    tableId: table,
    url: `${receiver.url}/${'a-long-path/'.repeat(8)}`,
    memo: 'A memo',
  }
  hookId = await addWebhook(rest, doc, { ...hook, name: 'Tells of people', authorization: 'x' })
  requireOk(await rest.post(`${doc}/webhooks/${hookId}/test`))
  await rest.post('/api/profile/apikeys', {
    body: { name: 'reader', expiresAt: '2999-01-01T00:00:00Z', scope: { readOnly: true } },
  })
  return (await rest.get<{ id: number }>(doc)).body.id
}

const pages: readonly (readonly [name: string, path: () => string, heading: RegExp])[] = [
  ['home', () => '/', /Home/],
  ['one site', () => '/sites/current', /Personal/],
  ['the trash', () => '/sites/current/trash', /Trash/],
  ['profile settings', () => '/profile', /Profile settings/],
  ['the API', () => '/api', /API/],
  ['a table', () => `/docs/${docId}/tables/People`, /A document/],
  ['SQL', () => `/docs/${docId}/sql`, /A document/],
  ['files', () => `/docs/${docId}/files`, /A document/],
  ['downloads', () => `/docs/${docId}/downloads`, /A document/],
  ['webhooks', () => `/docs/${docId}/webhooks`, /A document/],
  ['a webhook', () => `/docs/${docId}/webhooks/${hookId}`, /A document/],
  ['a new webhook', () => `/docs/${docId}/webhooks/new`, /A document/],
  ['editing a webhook', () => `/docs/${docId}/webhooks/${hookId}/edit`, /A document/],
  ['the history', () => `/docs/${docId}/history`, /A document/],
  ['the history of a row', () => `/docs/${docId}/history?table=People&row=1`, /A document/],
  ['the API of a document', () => `/docs/${docId}/api`, /A document/],
  ['an unknown URL', () => '/nowhere', /Page not found/],
]

async function open({ page, settled }: Visit, path: string, heading: RegExp): Promise<void> {
  await page.goto(`${sheaf.url}/console${path}`)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  await settled()
}

describe.each(pages)('the page of %s', (_name, path, heading) => {
  it('has no accessibility violations and no errors, with the light theme on a desktop', async () => {
    await open(desk, path(), heading)
    expect(await findViolations(desk.page)).toEqual([])
    expect(desk.faults).toEqual([])
  })

  it('has no accessibility violations and no errors, with the dark theme on a phone, where it does not scroll horizontally', async () => {
    await open(phone, path(), heading)
    expect(await findViolations(phone.page)).toEqual([])
    expect(phone.faults).toEqual([])
    // Not the width of the window, which grows with overflowing content.
    const width = 'document.documentElement.scrollWidth'
    expect(await phone.page.evaluate(width)).toBeLessThanOrEqual(375)
  })
})

describe('the console', () => {
  it('shows the error for a document that does not exist', async () => {
    await using other = await visit({ storageState: await desk.context.storageState() })
    await other.page.goto(`${sheaf.url}/console/docs/999999`)
    await other.page.getByRole('alert').getByText('document not found').waitFor()
    expect(await findViolations(other.page)).toEqual([])
  })

  it('has one bar above a document, and rows begin within 130 pixels of the top of the window', async () => {
    await open(desk, `/docs/${docId}/tables/People`, /A document/)
    const row = desk.page.getByRole('gridcell', { name: 'Ada' })
    expect((await row.boundingBox())?.y).toBeLessThanOrEqual(130)
    await desk.page.getByRole('link', { name: 'Sheaf' }).click()
    await desk.page.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(await desk.page.getByRole('button', { name: 'Access' }).count()).toBe(0)
  })

  it('offers to reload the page when a part of it cannot be loaded', async () => {
    await using other = await visit({ storageState: await desk.context.storageState() })
    const { page } = other
    await page.route('**/assets/sql-page-*.js', (route) => route.abort())
    await page.goto(`${sheaf.url}/console/docs/${docId}/sql`)
    const message = page.getByText('This part of the console could not be loaded.')
    await message.waitFor()
    await page.unroute('**/assets/sql-page-*.js')
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('button', { name: 'Run' }).waitFor()
  })

  it('names the owner of the personal site of a document', async () => {
    await open(desk, `/docs/${docId}/tables/People`, /A document/)
    const trail = desk.page.getByRole('navigation', { name: 'Breadcrumb' })
    await trail.getByRole('link', { name: 'Personal – Somebody with a Very-Long Name' }).waitFor()
  })

  it('has the link of the current page of a document in view on a phone', async () => {
    await open(phone, `/docs/${docId}/api`, /A document/)
    const link = phone.page
      .getByRole('navigation', { name: 'Document' })
      .getByRole('link', { name: 'API' })
    const box = await link.boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(375)
  })

  it('redirects users who are not signed in to the sign-in page and back', async () => {
    await using stranger = await visit()
    await stranger.page.goto(`${sheaf.url}/console/profile`)
    await stranger.page.waitForURL(/\/sign-in\?next=%2Fconsole%2Fprofile$/)
    expect(await findViolations(stranger.page)).toEqual([])
  })
})

describe('the page of a table', () => {
  it('asks for the grid, the tables, the columns and the document before its user is known, and for nothing twice', async () => {
    await using visitor = await visit({ storageState: await desk.context.storageState() })
    const { page, settled } = visitor
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      asked.push(pathname.replace(/-[^-]+\.js$/, '.js'))
    })
    const whole = `/api/docs/${docId}`
    // The tables are read a second time, for the position from which changes are followed.
    const people = `${whole}/tables/People`
    const tables = [`${whole}/tables`, `${whole}/tables`]
    const needed = [whole, ...tables, `${people}/columns`]
    const isNeeded = (path: string) => path.startsWith(whole)
    let release = () => {}
    const isKnown = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/api/session', async (route) => {
      await isKnown
      await route.continue()
    })
    // What was read must not become stale meanwhile, however slow the machine is.
    await page.clock.setFixedTime(new Date())
    await page.goto(`${sheaf.url}/console/docs/${docId}/tables/People`)
    await eventually(() => {
      expect(asked).toContain('/console/assets/table-grid.js')
      expect(asked.filter(isNeeded).sort()).toEqual([...needed].sort())
    })
    release()
    await page.getByRole('gridcell', { name: 'Ada' }).waitFor()
    await settled()
    const later = [`${whole}/changes`, `${people}/records/list`]
    expect(asked.filter(isNeeded).sort()).toEqual([...needed, ...later].sort())
  })

  describe('shows what is changed while it is loading', () => {
    /** Opens the page of the table, whose parts that match are held back until released. */
    async function openHeld(
      visitor: Visit,
      held: string,
    ): Promise<{ asked: string[]; release: () => void }> {
      const { page } = visitor
      const asked: string[] = []
      page.on('requestfinished', (request) => asked.push(new URL(request.url()).pathname))
      page.on('request', (request) => asked.push(`begun ${new URL(request.url()).pathname}`))
      let release = () => {}
      const isReleased = new Promise<void>((resolve) => (release = resolve))
      await page.route(held, async (route) => {
        await isReleased
        await route.continue()
      })
      await page.goto(`${sheaf.url}/console/docs/${docId}/tables/People`)
      return { asked, release }
    }

    async function changeBoth(name: string, column: string): Promise<void> {
      const rest = createRest(sheaf.url, sheaf.ownerKey)
      const people = `/api/docs/${docId}/tables/People`
      const records = [{ id: 2, fields: { Name: name } }]
      requireOk(await rest.patch(`${people}/records`, { body: { records } }))
      const columns = [{ id: column, fields: { label: column, type: 'Text' } }]
      requireOk(await rest.post(`${people}/columns`, { body: { columns } }))
    }

    async function seeBoth({ page }: Visit, name: string, column: string): Promise<void> {
      await page.getByRole('gridcell', { name }).waitFor()
      await page.getByRole('columnheader', { name: column }).waitFor()
    }

    it('after it was read', async () => {
      await using visitor = await visit({ storageState: await desk.context.storageState() })
      const { asked, release } = await openHeld(visitor, '**/changes?*')
      await eventually(() => {
        for (const part of ['records/list', 'columns'])
          expect(asked).toContain(`/api/docs/${docId}/tables/People/${part}`)
      })
      await changeBoth('Grace', 'Late')
      release()
      await seeBoth(visitor, 'Grace', 'Late')
    })

    it('and was received before the grid was there', async () => {
      await using visitor = await visit({ storageState: await desk.context.storageState() })
      const { asked, release } = await openHeld(visitor, '**/assets/table-grid-*.js')
      await eventually(() => expect(asked).toContain(`begun /api/docs/${docId}/changes`))
      await changeBoth('Hedy', 'Later')
      // The columns are read again after the change was received.
      const isColumns = (path: string) => path === `/api/docs/${docId}/tables/People/columns`
      await eventually(() => expect(asked.filter(isColumns).length).toBeGreaterThan(1))
      release()
      await seeBoth(visitor, 'Hedy', 'Later')
    })
  })
})

describe('the files of the console', () => {
  const get = (path: string, init?: RequestInit) => fetch(`${sheaf.url}${path}`, init)

  it('allow no inline content and no content of other sites', async () => {
    const { headers } = await get('/console/profile')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("style-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('are immutable if their names contain a hash', async () => {
    const page = await (await get('/console/')).text()
    const assets = [...page.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(assets.length).toBeGreaterThanOrEqual(3)
    for (const path of assets) {
      const { status, headers } = await get(path)
      expect([status, headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
    }
    expect((await get('/console/assets/index-gone.js')).status).toBe(404)
  })

  it('redirect to the trailing slash, and are read-only', async () => {
    const { status, headers } = await get('/console', { redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([308, '/console/'])
    const root = await get('/', { redirect: 'manual' })
    expect([root.status, root.headers.get('location')]).toEqual([302, '/console/'])
    expect((await get('/console/', { method: 'HEAD' })).status).toBe(200)
    const write = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    expect((await get('/console/', write)).status).toBe(404)
  })
})
