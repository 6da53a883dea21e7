import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { Browser } from '../support/browser'
import { startMailbox, type Mailbox } from '../support/mailbox'
import { signInAt, startOidcProvider, type OidcProvider } from '../support/oidc-provider'
import { ownPort } from '../support/own-port'
import { newDocument } from '../support/system'

const COOKIE = 'sheaf_session'

let sheaf: RunningSheaf
let provider: OidcProvider
let mailbox: Mailbox
beforeAll(async () => {
  const port = await ownPort()
  provider = await startOidcProvider(`http://127.0.0.1:${port}`)
  mailbox = await startMailbox()
  sheaf = await startSheaf({
    env: {
      ...provider.env,
      SHEAF_PORT: String(port),
      SHEAF_SMTP_URL: mailbox.url,
      SHEAF_MAIL_FROM: 'Sheaf <sheaf@example.com>',
      SHEAF_LOG_LEVEL: 'debug',
    },
  })
  await sheaf.createUser('dan@example.com', 'Dan')
})
afterAll(async () => {
  await sheaf?.[Symbol.asyncDispose]()
  await mailbox?.[Symbol.asyncDispose]()
  await provider?.[Symbol.asyncDispose]()
})

const whoIs = async (browser: Browser) =>
  ((await browser.open('/api/session')).body as unknown as { user: { email: string } | null }).user

describe('signing in at an identity provider', () => {
  it('signs in the user with the address that it vouches for, and goes where they wanted', async () => {
    const browser = new Browser(sheaf.url)
    const { text } = await browser.open('/sign-in?next=/console/docs/1')
    const [, start = ''] = /href="(\/sign-in\/oidc[^"]*)"/.exec(text) ?? []
    const back = await signInAt(browser, 'dan', start)
    expect([back.status, back.location]).toEqual([303, '/console/docs/1'])
    expect(await whoIs(browser)).toMatchObject({ name: 'Dan', email: 'dan@example.com' })
    expect(browser.cookie('sheaf_oidc')).toBeUndefined()
  })

  it('keeps the whole of where they wanted to go, however it is written', async () => {
    const next = '/console/api?find=sql'
    for (const given of [next, encodeURIComponent(next)]) {
      const { text } = await new Browser(sheaf.url).open(`/sign-in?next=${given}`)
      expect(text).toContain(`href="/sign-in/oidc?next=${encodeURIComponent(next)}"`)
    }
    const repeated = await new Browser(sheaf.url).open('/sign-in?next=/a&next=/b')
    expect([repeated.status, repeated.headers.get('content-type')]).toEqual([
      400,
      'text/html; charset=utf-8',
    ])
  })

  it('makes users of people who are new', async () => {
    const browser = new Browser(sheaf.url)
    await signInAt(browser, 'erin', '/sign-in/oidc')
    expect(await whoIs(browser)).toMatchObject({
      name: 'erin of the provider',
      email: 'erin@example.com',
    })
    expect((await browser.open('/api/orgs')).text).toContain('"Personal"')
  })

  it('is refused for an address that it does not vouch for', async () => {
    const browser = new Browser(sheaf.url)
    const back = await signInAt(browser, 'unverified', '/sign-in/oidc')
    expect([back.status, back.text]).toEqual([403, expect.stringContaining('is not verified')])
    expect(browser.cookie(COOKIE)).toBeUndefined()
    expect(await sheaf.operate('users', 'list')).not.toContain('unverified')
  })

  it('is refused to a browser that has not begun it, and a second time', async () => {
    const browser = new Browser(sheaf.url)
    const form = await browser.follow('/sign-in/oidc')
    const flow = browser.cookie('sheaf_oidc') ?? ''
    let page = await browser.submit(form, { login: 'dan', password: 'any' })
    while (!page.location?.startsWith(sheaf.url))
      page = await browser.open(new URL(page.location ?? '', page.url).href)
    const callback = page.location
    const other = new Browser(sheaf.url)
    expect((await other.open(callback)).status).toBe(403)
    await other.follow('/sign-in/oidc')
    expect((await other.open(callback)).status).toBe(403)
    expect(other.cookie(COOKIE)).toBeUndefined()
    expect((await browser.open(callback)).status).toBe(303)
    const again = await new Browser(sheaf.url).open(callback, {
      headers: { cookie: `sheaf_oidc=${flow}` },
    })
    expect([again.status, again.text]).toEqual([403, expect.stringContaining('not signed in')])
  })

  it('that was called off there says so', async () => {
    const browser = new Browser(sheaf.url)
    const atProvider = await browser.open('/sign-in/oidc')
    const state = new URL(atProvider.location ?? '').searchParams.get('state') ?? ''
    const query = new URLSearchParams({
      error: 'access_denied',
      state,
      iss: provider.env.SHEAF_OIDC_ISSUER ?? '',
    })
    const back = await browser.open(`/sign-in/oidc/callback?${query.toString()}`)
    expect([back.status, back.text]).toEqual([403, expect.stringContaining('not signed in')])
  })
})

describe('a link by mail', () => {
  const mailsTo = (email: string) => mailbox.mails.filter(({ to }) => to.includes(email))
  const ask = async (email: string, next = '') => {
    const browser = new Browser(sheaf.url)
    const page = await browser.open(`/sign-in?next=${encodeURIComponent(next)}`)
    const sent = await browser.submit(page, { email })
    return { browser, sent }
  }

  it('comes to its user and signs them in', async () => {
    const { browser, sent } = await ask('Dan@example.com', '/console/docs/2')
    expect(sent.status).toBe(200)
    const mail = await eventually(() => mailsTo('dan@example.com')[0] ?? false)
    const [link = ''] = /http\S+/.exec(mail.text) ?? []
    expect(link.startsWith(`${sheaf.url}/sign-in/link?token=shl_`)).toBe(true)
    const done = await browser.submit(await browser.open(link))
    expect([done.status, done.location]).toEqual([303, '/console/docs/2'])
    expect(await whoIs(browser)).toMatchObject({ email: 'dan@example.com' })
    expect(sheaf.output()).not.toContain(link.split('token=')[1])
  })

  it('is answered alike for whoever is no user, and not sent to them', async () => {
    const shown = (text: string) => text.replaceAll(/\w+@example.com/g, 'EMAIL')
    const known = await ask('dan@example.com')
    const unknown = await ask('nobody@example.com')
    expect([unknown.sent.status, shown(unknown.sent.text)]).toEqual([200, shown(known.sent.text)])
    await eventually(() => sheaf.output().includes('failed to mail a sign-in link'))
    expect(mailsTo('nobody@example.com')).toEqual([])
  })

  it('is not sent without end, and that tells nothing either', async () => {
    const answers: number[] = []
    // One mail in six seconds is permitted again.
    while (!answers.includes(429) && answers.length < 60)
      answers.push((await ask('you@example.com')).sent.status)
    expect(new Set(answers)).toEqual(new Set([200, 429]))
    await eventually(() => mailsTo('you@example.com').length === 5)
    await eventually(() => sheaf.output().split('TOO_MANY_LINKS').length > 2)
    expect(mailsTo('you@example.com')).toHaveLength(5)
  })
})

describe('where only the invited may sign in', () => {
  it('others get a page that says what to do', async () => {
    const port = await ownPort()
    await using own = await startOidcProvider(`http://127.0.0.1:${port}`)
    await using other = await startSheaf({
      env: { ...own.env, SHEAF_PORT: String(port), SHEAF_OIDC_SIGN_UP: 'false' },
    })
    const stranger = new Browser(other.url)
    const refused = await signInAt(stranger, 'erin', '/sign-in/oidc')
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('You have no account here'),
    ])
    expect(await whoIs(stranger)).toBeNull()

    const owner = createRest(other.url, other.ownerKey)
    const doc = await newDocument(owner)
    const body = { delta: { users: { 'erin@example.com': 'viewers' } } }
    expect((await owner.patch(`${doc}/access`, { body })).status).toBe(200)
    const invited = new Browser(other.url)
    await signInAt(invited, 'erin', '/sign-in/oidc')
    expect((await invited.open(doc)).status).toBe(200)
  })
})

describe('a provider that is away', () => {
  it('gets people a page that says so, and nothing else suffers', async () => {
    await provider[Symbol.asyncDispose]()
    await using other = await startSheaf({ env: provider.env })
    const browser = new Browser(other.url)
    const page = await browser.open('/sign-in/oidc')
    expect([page.status, page.text]).toEqual([503, expect.stringContaining('is unavailable')])
    expect(page.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(page.headers.get('content-type')).toMatch('text/html')
    expect((await browser.open('/status?ready=1')).status).toBe(200)
  })
})
