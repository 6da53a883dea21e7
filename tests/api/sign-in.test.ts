import { openDatabase } from '@sheaf/kit/postgres/database'
import { Closer } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { Browser, type Page } from '../support/browser'
import { startSecondGateway, type SecondGateway } from '../support/second-gateway'
import { addTable, newDocument } from '../support/system'

const COOKIE = 'sheaf_session'

interface Session {
  readonly user: { readonly id: number; readonly name: string; readonly email: string } | null
  readonly csrfToken: string | null
  readonly signIn: { readonly oidc: boolean; readonly mail: boolean }
}

let sheaf: RunningSheaf
let second: SecondGateway
let owner: Rest
let endLinks: () => Promise<unknown>
const closer = new Closer()
beforeAll(async () => {
  const { url: databaseUrl } = closer.use(await createTestDatabase())
  sheaf = closer.use(await startSheaf({ databaseUrl, env: { SHEAF_LOG_LEVEL: 'debug' } }))
  second = closer.use(await startSecondGateway(sheaf))
  owner = createRest(sheaf.url, sheaf.ownerKey)
  const log = createLogger('sign-in-test')
  const db = closer.use(
    openDatabase<{ sign_in_links: { expires_at: Date } }>({
      url: databaseUrl,
      schema: 'directory',
      log,
      maxConnections: 1,
    }),
  )
  endLinks = () =>
    db
      .updateTable('sign_in_links')
      .set({ expires_at: new Date(0) })
      .execute()
})
afterAll(() => closer.close())

async function newLink(email: string): Promise<string> {
  const { url } = JSON.parse(await sheaf.operate('sign-in', email, '--json')) as { url: string }
  return url
}

async function signIn(email: string): Promise<Browser> {
  const browser = new Browser(sheaf.url)
  const done = await browser.submit(await browser.open(await newLink(email)))
  expect(done.status).toBe(303)
  return browser
}

const readSession = async (browser: Browser): Promise<Session> =>
  (await browser.open('/api/session')).body as unknown as Session

/** A write by the cookie, with the token that the page was told. */
async function write(
  browser: Browser,
  path: string,
  json: unknown,
  method = 'POST',
): Promise<Page> {
  const { csrfToken } = await readSession(browser)
  return browser.open(path, { method, json, headers: { 'x-csrf-token': csrfToken ?? '' } })
}

/** The same browser at the second gateway: cookies do not know ports. */
function atSecond(browser: Browser): (path: string) => Promise<number> {
  const cookie = `${COOKIE}=${browser.cookie(COOKIE)}`
  return async (path) => (await fetch(second.url + path, { headers: { cookie } })).status
}

describe('a link', () => {
  it('is printed when Sheaf starts, and signs the owner in', async () => {
    const [, link = ''] = /Console +(http\S+)/.exec(sheaf.output()) ?? []
    const browser = new Browser(sheaf.url)
    await browser.submit(await browser.open(link))
    expect((await readSession(browser)).user?.email).toBe('you@example.com')
  })

  it('signs its user in where they confirm, once, and looking at it changes nothing', async () => {
    const dan = await sheaf.createUser('dan@example.com', 'Dan')
    const link = await newLink('DAN@example.com')
    expect(link).toMatch(new RegExp(`^${sheaf.url}/sign-in/link\\?token=shl_[\\w-]{43}$`))
    const scanner = new Browser(sheaf.url)
    for (let i = 0; i < 3; i++) expect((await scanner.open(link)).status).toBe(200)
    expect(scanner.cookie(COOKIE)).toBeUndefined()

    const browser = new Browser(sheaf.url)
    const page = await browser.open(link)
    expect(page.text).toContain('dan@example.com')
    const done = await browser.submit(page)
    expect([done.status, done.location]).toEqual([303, '/console/'])
    expect(await readSession(browser)).toEqual({
      user: { id: dan.id, name: 'Dan', email: 'dan@example.com' },
      csrfToken: expect.stringMatching(/^[\w-]{43}$/) as string,
      signIn: { oidc: false, mail: false },
    })
    const again = await new Browser(sheaf.url).open(link)
    expect([again.status, again.text]).toEqual([404, expect.stringContaining('is no longer valid')])
    const resent = await scanner.submit({
      ...page,
      text: page.text.replace(/name="form" value="[^"]*"/, ''),
    })
    expect(resent.status).toBe(403)
    expect(scanner.cookie(COOKIE)).toBeUndefined()
  })

  it('cannot be used where it was not opened', async () => {
    const link = await newLink('you@example.com')
    const [victim, attacker] = [new Browser(sheaf.url), new Browser(sheaf.url)]
    const page = await attacker.open(link)
    expect((await victim.submit(page)).status).toBe(403)
    await victim.open('/sign-in')
    expect((await victim.submit(page)).status).toBe(403)
    expect(victim.cookie(COOKIE)).toBeUndefined()
    expect((await attacker.submit(page)).status).toBe(303)
  })

  it('cannot be sent by a page of another site', async () => {
    const browser = new Browser(sheaf.url)
    const page = await browser.open(await newLink('you@example.com'))
    const [, form = ''] = /name="form" value="([^"]*)"/.exec(page.text) ?? []
    const [, token = ''] = /name="token" value="([^"]*)"/.exec(page.text) ?? []
    for (const [origin, status] of [
      ['https://evil.test', 403],
      ['null', 400],
    ] as const) {
      const sent = await browser.open('/sign-in/link', {
        form: { form, token },
        headers: { origin },
      })
      expect(sent.status).toBe(status)
    }
    expect(browser.cookie(COOKIE)).toBeUndefined()
  })

  it('that is too old, or made up, is refused', async () => {
    const browser = new Browser(sheaf.url)
    const page = await browser.open(await newLink('you@example.com'))
    await endLinks()
    expect((await browser.submit(page)).status).toBe(404)
    for (const token of ['', 'x', `shl_${'a'.repeat(43)}`, '%00', 'shl_<script>'])
      expect((await browser.open(`/sign-in/link?token=${token}`)).status).toBe(404)
  })

  it('is refused to who is no user', async () => {
    await expect(sheaf.operate('sign-in', 'nobody@example.com')).rejects.toMatchObject({
      stderr:
        'user not found: nobody@example.com; create the user with "users create nobody@example.com"\n',
    })
  })
})

describe('a session', () => {
  it('is kept in a cookie that scripts cannot read and other sites do not send', async () => {
    const browser = new Browser(sheaf.url)
    const done = await browser.submit(await browser.open(await newLink('you@example.com')))
    const cookie = done.headers.getSetCookie().find((text) => text.startsWith(COOKIE)) ?? ''
    const [, ...attributes] = cookie.split('; ')
    expect(attributes).toEqual([
      expect.stringMatching(/^Max-Age=\d{7}$/),
      'Path=/',
      'HttpOnly',
      'SameSite=Lax',
    ])
  })

  it('reads and writes as its user, with the token of its page', async () => {
    const browser = await signIn('you@example.com')
    const orgs = await browser.open('/api/orgs')
    expect(orgs.body).toEqual((await owner.get('/api/orgs')).body)
    const workspaces = await browser.open('/api/orgs/current/workspaces')
    const [{ id = 0 } = {}] = workspaces.body as unknown as { id?: number }[]
    const made = await write(browser, `/api/workspaces/${id}/docs`, { name: 'By cookie' })
    expect(made.status).toBe(200)
    const records = `/api/docs/${made.body}/tables/Table1/records`
    const added = await write(browser, records, { records: [{ fields: { A: 'x' } }] })
    expect(added.status).toBe(200)
    expect((await browser.open(records)).text).toContain('"A":"x"')
    expect(await atSecond(browser)(records)).toBe(200)
    expect((await new Browser(sheaf.url).open(records)).status).toBe(403)
  })

  it('writes nothing without the token, or with another', async () => {
    const [browser, other] = [await signIn('you@example.com'), await signIn('you@example.com')]
    const { csrfToken } = await readSession(other)
    const path = '/api/profile/user/name'
    const attempts: Record<string, string>[] = [
      {},
      { 'x-csrf-token': '' },
      { 'x-csrf-token': csrfToken ?? '' },
      { 'x-requested-with': 'XMLHttpRequest' },
    ]
    for (const headers of attempts)
      expect(await browser.open(path, { json: { name: 'Forged' }, headers })).toMatchObject({
        status: 401,
        body: { details: { reason: 'CSRF_TOKEN_NEEDED' } },
      })
    const form = { name: 'Forged' }
    expect((await browser.open(path, { form })).status).toBe(401)
    expect((await readSession(browser)).user?.name).not.toBe('Forged')
    expect((await write(browser, path, { name: 'Renamed' })).status).toBe(200)
    expect((await readSession(browser)).user?.name).toBe('Renamed')
  })

  it('is refused from a page of another site, which learns nothing', async () => {
    const browser = await signIn('you@example.com')
    const { csrfToken } = await readSession(browser)
    const headers = { origin: 'https://evil.test', 'x-csrf-token': csrfToken ?? '' }
    for (const method of ['GET', 'POST', 'DELETE']) {
      const refused = await browser.open('/api/profile/apikey', { method, headers })
      expect(refused).toMatchObject({
        status: 403,
        body: { details: { reason: 'UNTRUSTED_ORIGIN' } },
      })
    }
    const read = await browser.open('/api/session', { headers: { origin: 'https://evil.test' } })
    expect([read.status, read.text.includes(csrfToken ?? '')]).toEqual([403, false])
  })

  it('ends when its user signs out, at every gateway for the next request', async () => {
    const [here, elsewhere] = [await signIn('you@example.com'), await signIn('you@example.com')]
    const [old, there] = [here.cookie(COOKIE) ?? '', atSecond(here)]
    expect(await there('/api/orgs')).toBe(200)
    const signedOut = await write(here, '/api/session/sign-out', {})
    expect([signedOut.status, signedOut.text, here.cookie(COOKIE)]).toEqual([
      200,
      'null',
      undefined,
    ])
    expect(await there('/api/orgs')).toBe(401)
    const stale = new Browser(sheaf.url)
    const refused = await stale.open('/api/orgs', { headers: { cookie: `${COOKIE}=${old}` } })
    expect(refused).toMatchObject({ status: 401, body: { details: { reason: 'SESSION_ENDED' } } })
    expect(refused.headers.getSetCookie()[0]).toMatch(/^sheaf_session=; Max-Age=0/)
    const told = await stale.open('/api/session', { headers: { cookie: `${COOKIE}=${old}` } })
    expect(told).toMatchObject({ status: 200, body: { user: null, csrfToken: null } })
    expect((await readSession(elsewhere)).user).not.toBeNull()
  })

  it('that has ended is told no further change by a stream that it had open', async () => {
    const browser = await signIn('you@example.com')
    const cookie = `${COOKIE}=${browser.cookie(COOKIE)}`
    const doc = await newDocument(owner)
    const accept = 'text/event-stream'
    const stream = await fetch(`${sheaf.url}${doc}/changes`, { headers: { cookie, accept } })
    expect(stream.status).toBe(200)
    expect((await write(browser, '/api/session/sign-out', {})).status).toBe(200)
    const table = await addTable(owner, doc, 'Secret', { A: 'Text' })
    const told = await stream.text()
    expect(told).toMatch(/event: end\ndata: .*SESSION_ENDED/)
    expect(told).not.toContain(table)
  })

  it('ends everywhere when its user says so', async () => {
    const [here, elsewhere] = [await signIn('you@example.com'), await signIn('you@example.com')]
    const there = atSecond(elsewhere)
    expect(await there('/api/orgs')).toBe(200)
    expect((await write(here, '/api/session/sign-out', { everywhere: true })).status).toBe(200)
    expect(await there('/api/orgs')).toBe(401)
    expect((await readSession(elsewhere)).user).toBeNull()
    expect((await owner.get('/api/orgs')).status).toBe(200)
  })

  it('ends with its user', async () => {
    const eve = await sheaf.createUser('eve@example.com', 'Eve')
    const browser = await signIn('eve@example.com')
    const there = atSecond(browser)
    expect(await there('/api/orgs')).toBe(200)
    const gone = await write(browser, `/api/users/${eve.id}`, { name: 'Eve' }, 'DELETE')
    expect(gone.status).toBe(200)
    expect(await there('/api/orgs')).toBe(401)
    expect((await readSession(browser)).user).toBeNull()
  })

  it('takes the place of the one that the browser had', async () => {
    const browser = await signIn('you@example.com')
    const there = atSecond(browser)
    expect(await there('/api/orgs')).toBe(200)
    await browser.submit(await browser.open(await newLink('dan@example.com')))
    expect((await readSession(browser)).user?.email).toBe('dan@example.com')
    expect(await there('/api/orgs')).toBe(401)
  })

  it('gives way to a key that is shown with it', async () => {
    const browser = await signIn('dan@example.com')
    const headers = { authorization: `Bearer ${sheaf.ownerKey}` }
    const told = await browser.open('/api/session', { headers })
    expect(told.body).toMatchObject({ user: { email: 'you@example.com' }, csrfToken: null })
    const key = await browser.open('/api/profile/user', { headers: { authorization: 'Bearer x' } })
    expect(key.status).toBe(401)
  })
})

describe('the pages', () => {
  it('run nothing, are kept by nobody, and tell no other site where one was', async () => {
    for (const path of ['/sign-in', '/sign-in/link?token=x', '/sign-in/oidc', '/o/team/sign-in']) {
      const { headers, text } = await new Browser(sheaf.url).open(path)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('content-security-policy')).toMatch(
        /default-src 'none'; script-src 'self';/,
      )
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('referrer-policy')).toBe('strict-origin')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(text).not.toMatch(/<script|<style| style=| on\w+=/)
    }
  })

  it('have their style in a file', async () => {
    const browser = new Browser(sheaf.url)
    const { text } = await browser.open('/sign-in')
    const [, href = ''] = /rel="stylesheet" href="([^"]*)"/.exec(text) ?? []
    const { headers, status } = await browser.open(href)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect(headers.get('cache-control')).toContain('immutable')
  })

  it('refuse what is no form of theirs', async () => {
    const browser = new Browser(sheaf.url)
    await browser.open('/sign-in')
    const sent = await Promise.all([
      browser.open('/sign-in/mail', { json: { email: 'you@example.com' } }),
      browser.open('/sign-in/mail', { form: { email: 'you@example.com' } }),
      browser.open('/sign-in/link', { form: { token: 'x'.repeat(20_000) } }),
    ])
    expect(sent.map(({ status }) => status)).toEqual([415, 403, 413])
    for (const { headers } of sent) expect(headers.get('content-type')).toMatch('text/html')
  })

  it('are not offered where they are not set up', async () => {
    const browser = new Browser(sheaf.url)
    const page = await browser.open('/sign-in')
    expect(page.text).toContain('npm run sheaf -- sign-in')
    expect(page.text).not.toContain('<form')
    expect((await browser.open('/sign-in/oidc')).status).toBe(404)
    expect((await browser.open('/sign-in/oidc/callback?code=x&state=y')).status).toBe(404)
  })
})

describe('the log', () => {
  it('holds no token of a link, a session or a page', async () => {
    const link = await newLink('you@example.com')
    const browser = new Browser(sheaf.url)
    await browser.open(`${link}x`)
    await browser.submit(await browser.open(link))
    const { csrfToken } = await readSession(browser)
    const [, token = ''] = link.split('token=')
    const output = sheaf.output()
    expect(output).toContain('"route":"/sign-in/link"')
    for (const secret of [token, browser.cookie(COOKIE), csrfToken]) {
      expect(secret).toMatch(/.{40}/)
      expect(output).not.toContain(secret)
    }
  })
})
