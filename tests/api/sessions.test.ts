import { createRest } from '@sheaf/testkit/rest'
import { Browser, type Page } from '../support/browser'
import { emailOf, newDocument, useSystem } from '../support/system'

const system = useSystem()
const COOKIE = 'sheaf_session'

interface Session {
  readonly user: { readonly email: string } | null
  readonly csrfToken: string | null
}

async function newLink(email: string): Promise<string> {
  const { url } = JSON.parse(await system.sheaf.operate('sign-in', email, '--json')) as {
    url: string
  }
  return url
}

async function signIn(email: string): Promise<Browser> {
  const browser = new Browser(system.sheaf.url)
  await browser.submit(await browser.open(await newLink(email)))
  return browser
}

const readSession = async (browser: Browser): Promise<Session> =>
  (await browser.open('/api/session')).body as unknown as Session

/** Deletes by the cookie, with the token that the page was told. */
async function remove(browser: Browser, path: string): Promise<Page> {
  const { csrfToken } = await readSession(browser)
  const headers = { 'x-csrf-token': csrfToken ?? '' }
  return browser.open(path, { method: 'DELETE', headers })
}

describe('sessions of a user', () => {
  interface Listed {
    readonly id: number
    readonly isCurrent: boolean
    readonly browser: string | null
    readonly system: string | null
    readonly createdAt: string
  }
  const list = async (browser: Browser) =>
    (await browser.open('/api/profile/sessions')).body as unknown as Listed[]
  const idOf = async (browser: Browser) => {
    const mine = (await list(browser)).find(({ isCurrent }) => isCurrent)
    return mine?.id ?? 0
  }

  it('are listed with their browsers, ended one by one, or all but the one that asks', async () => {
    await system.sheaf.createUser(emailOf('fay'), 'Fay')
    const [here, there] = [await signIn(emailOf('fay')), await signIn(emailOf('fay'))]
    const listed = await list(here)
    expect(listed.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, true])
    // What these tests are made with calls itself so.
    for (const { browser, createdAt } of listed)
      expect([browser, Date.parse(createdAt) > 0]).toEqual(['node', true])

    const path = `/api/profile/sessions/${await idOf(there)}`
    expect((await here.open(path, { method: 'DELETE' })).status).toBe(401)
    expect((await remove(here, path)).status).toBe(200)
    expect((await there.open('/api/profile/user')).status).toBe(401)
    const again = await remove(here, path)
    expect([again.status, again.text]).toEqual([404, expect.stringContaining('SESSION_NOT_FOUND')])

    for (let i = 0; i < 2; i++) await signIn(emailOf('fay'))
    const ended = await remove(here, '/api/profile/sessions')
    expect([ended.status, ended.body]).toEqual([200, { ended: 2 }])
    expect((await list(here)).map(({ isCurrent }) => isCurrent)).toEqual([true])
  })

  it('leave no key in what they change, and their id is not taken for one', async () => {
    const email = emailOf('hal')
    await system.sheaf.createUser(email, 'Hal')
    const browser = await signIn(email)
    const doc = await newDocument(system.alice.rest)
    const delta = { users: { [email]: 'editors' } }
    await system.alice.rest.patch(`${doc}/access`, { body: { delta } })
    const { csrfToken } = await readSession(browser)
    const written = await browser.open(`${doc}/tables/Table1/records`, {
      method: 'POST',
      headers: { 'x-csrf-token': csrfToken ?? '' },
      json: { records: [{}] },
    })
    expect(written.status).toBe(200)
    const { body } = await system.alice.rest.get(`${doc}/history`, { query: { limit: 1 } })
    expect(body).toMatchObject({ changes: [{ user: { email }, keyId: null }] })
  })

  it("are nobody else's business", async () => {
    await system.sheaf.createUser(emailOf('gil'), 'Gil')
    const browser = await signIn(emailOf('gil'))
    const id = await idOf(browser)
    const { rest } = system.alice
    expect((await rest.delete(`/api/profile/sessions/${id}`)).status).toBe(404)
    expect(await idOf(browser)).toBe(id)
    const { body } = await rest.post<{ key: string }>('/api/profile/apikeys', {
      body: { name: 'reader', scope: { readOnly: true } },
    })
    const reader = createRest(system.sheaf.url, body.key)
    expect((await reader.get('/api/profile/sessions')).status).toBe(403)
    expect((await reader.delete('/api/profile/sessions')).status).toBe(403)
  })
})

it('who is signed in is kept by no cache', async () => {
  const browser = await signIn(system.alice.email)
  for (const page of [
    await browser.open('/api/session'),
    await new Browser(system.sheaf.url).open('/api/session'),
  ])
    expect(page.headers.get('cache-control')).toBe('no-store')
})

it('a link signs in where there is a session already, and that one ends', async () => {
  await system.sheaf.createUser(emailOf('hal'), 'Hal')
  const browser = await signIn(system.alice.email)
  const old = browser.cookie(COOKIE)
  await browser.submit(await browser.open(await newLink(emailOf('hal'))))
  expect((await readSession(browser)).user?.email).toBe(emailOf('hal'))
  const headers = { cookie: `${COOKIE}=${old}` }
  expect((await fetch(`${system.sheaf.url}/api/profile/user`, { headers })).status).toBe(401)
})
