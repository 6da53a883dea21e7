import type { CallContext } from '@sheaf/protos/call'
import { LinkOrigin, type NewSession } from '@sheaf/protos/sheaf/directory/v1/sessions'
import { eventually } from '@sheaf/testkit/eventually'
import { createSignInToken } from '../src/access/sign-in-tokens'
import { expectRefused, resolveRequest, TestDirectory, type TestUser } from './test-directory'
import { TestHolder } from './test-holder'

/** What is asked of the caller's own sessions. */
const own = { userId: 0, currentToken: '' }
const all = { userId: 0, keptToken: '' }

describe('sessions', () => {
  let directory: TestDirectory
  let system: CallContext
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob] = await directory.addUsers('alice', 'bob')
  })
  beforeEach(async () => {
    system = await directory.system()
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const newLink = async (email: string, next = '', origin = LinkOrigin.OPERATOR) =>
    (await directory.clients.sessions.createSignInLink({ email, next, origin }, system)).token
  const redeem = (token: string, userAgent = 'A Browser', replacedToken = '') =>
    directory.clients.sessions.redeemSignInLink({ token, userAgent, replacedToken }, system)
  const resolve = (token: string) =>
    directory.clients.access.resolveAccess(
      resolveRequest({ credential: { $case: 'session', value: token } }),
    )
  const present = (session: NewSession | undefined): NewSession => {
    if (!session) throw new Error('no session has begun')
    return session
  }
  const signIn = async (email: string) => present((await redeem(await newLink(email))).session)
  const isEnded = (token: string) =>
    expectRefused([resolve(token)], { code: 'unauthenticated', reason: 'SESSION_ENDED' })

  describe('a link', () => {
    it('begins one session of its user, whatever it is asked before, and no second one', async () => {
      const token = await newLink('Alice@example.com', '/console/docs?x=1')
      for (let i = 0; i < 2; i++)
        expect(await directory.clients.sessions.getSignInLink({ token }, system)).toEqual({
          email: alice.email,
        })
      const { session, next } = await redeem(token)
      expect(next).toBe('/console/docs?x=1')
      expect(session).toMatchObject({ email: alice.email })
      expect(session?.session).toMatchObject({ userId: alice.id, userAgent: 'A Browser' })
      const { caller } = await resolve(present(session).token)
      expect(caller).toMatchObject({ userId: alice.id, email: alice.email, system: false })
      await expectRefused(
        [redeem(token), directory.clients.sessions.getSignInLink({ token }, system)],
        { code: 'not_found', reason: 'SIGN_IN_LINK_ENDED' },
      )
    })

    it('begins one session when many redeem it at once', async () => {
      const token = await newLink(alice.email)
      const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => redeem(token)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })

    it('ends after a quarter of an hour', async () => {
      const asked = { email: alice.email, next: '', origin: LinkOrigin.OPERATOR }
      const { token, expiresAt } = await directory.clients.sessions.createSignInLink(asked, system)
      expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(15 * 60_000)
      await directory.query('update directory.sign_in_links set expires_at = now()')
      await expectRefused([redeem(token)], { reason: 'SIGN_IN_LINK_ENDED' })
    })

    it('is none when it was made up', async () => {
      for (const token of ['', 'x', createSignInToken('link'), createSignInToken('session')])
        await expectRefused([redeem(token)], { code: 'not_found' })
    })

    it('is made for users alone, the invited among them', async () => {
      await expectRefused([newLink('nobody@example.com'), newLink('everyone@getgrist.com')], {
        code: 'not_found',
        reason: 'USER_NOT_FOUND',
      })
      await expectRefused([newLink('no email'), newLink(alice.email, '/'.repeat(2049))], {
        code: 'invalid',
      })
      const workspace = await directory.createWorkspace(alice, 'current')
      const place = { $case: 'workspaceId', value: workspace } as const
      await directory.share(alice, place, { 'new.person@example.com': 'viewers' })
      const { token } = await signIn('new.person@example.com')
      expect((await resolve(token)).caller?.name).toBe('new.person')
      const call = { token: (await resolve(token)).token }
      const { orgs } = await directory.clients.orgs.listOrgs({ site: '' }, call)
      expect(orgs.some(({ owner }) => owner?.name === 'new.person')).toBe(true)
    })

    it('is one of a few that can be mailed at once, which bounds nobody else', async () => {
      const { email } = await directory.addUser('mailed')
      for (let i = 0; i < 5; i++) await newLink(email, '', LinkOrigin.MAIL)
      await expectRefused([newLink(email, '', LinkOrigin.MAIL)], {
        code: 'too_many',
        reason: 'TOO_MANY_LINKS',
      })
      await newLink(email)
      await newLink(alice.email, '', LinkOrigin.MAIL)
    })

    it('and a session are stored as hashes', async () => {
      const link = await newLink(alice.email)
      const { token } = await signIn(alice.email)
      const { rows } = await directory.query(
        'select s::text from directory.sessions s union all select l::text from directory.sign_in_links l',
      )
      const stored = JSON.stringify(rows)
      for (const secret of [link, token])
        for (const form of [secret, Buffer.from(secret).toString('hex')])
          expect(stored).not.toContain(form)
    })
  })

  it('act as their user on documents, as a key does', async () => {
    await directory.addHome()
    const workspace = await directory.createWorkspace(alice, 'current')
    const docId = await directory.createDocument(alice, workspace)
    const { token } = await signIn(alice.email)
    const credential = { $case: 'session', value: token } as const
    const found = await directory.clients.access.resolveAccess(
      resolveRequest({ credential, document: docId }),
    )
    expect(found.document).toEqual((await directory.resolve(alice, { document: docId })).document)
    const other = await signIn(bob.email)
    await expectRefused(
      [
        directory.clients.access.resolveAccess(
          resolveRequest({
            credential: { $case: 'session', value: other.token },
            document: docId,
          }),
        ),
      ],
      { code: 'forbidden' },
    )
  })

  it('are refused when they are made up', async () => {
    for (const token of [
      '',
      'x',
      createSignInToken('session'),
      createSignInToken('link'),
      alice.key,
    ])
      await isEnded(token)
  })

  it('begin for whom an identity provider has verified', async () => {
    const start = (email: string, name = '', mayCreateUser = false) =>
      directory.clients.sessions.startSession(
        { email, name, userAgent: 'x'.repeat(1000), mayCreateUser, replacedToken: '' },
        system,
      )
    const { session } = await start('ALICE@example.com')
    expect((await resolve(present(session).token)).caller?.userId).toBe(alice.id)
    expect(session?.session?.userAgent).toHaveLength(256)
    await expectRefused([start('fresh@example.com')], { reason: 'USER_NOT_FOUND' })
    const fresh = present((await start('fresh@example.com', 'Fresh Person', true)).session)
    expect((await resolve(fresh.token)).caller?.name).toBe('Fresh Person')
    const odd = present((await start('odd@example.com', 'a\nb', true)).session)
    expect((await resolve(odd.token)).caller?.name).toBe('odd')
    await expectRefused([start('anon@getgrist.com', '', true), start('no email', '', true)], {
      code: 'invalid',
    })
  })

  it('end when they are not used, or after their longest time, and no token outlives them', async () => {
    const { token, session } = await signIn(alice.email)
    const set = (column: string, value: string) =>
      directory.query(`update directory.sessions set ${column} = ${value} where id = $1`, [
        session?.id,
      ])
    await set('lasts_until', "now() + interval '10 seconds'")
    const short = await resolve(token)
    expect(short.keyExpiresAt - Date.now()).toBeLessThanOrEqual(10_000)
    expect(short.tokenExpiresAt).toBeLessThanOrEqual(short.keyExpiresAt)
    await set('lasts_until', 'now()')
    await isEnded(token)
    await set('lasts_until', "now() + interval '1 day'")
    await resolve(token)
    await set('last_used_at', "now() - interval '2 hours'")
    await isEnded(token)
  })

  it('last on while they are used', async () => {
    const { token, session } = await signIn(alice.email)
    await directory.query(
      `update directory.sessions set last_used_at = now() - interval '50 minutes' where id = $1`,
      [session?.id],
    )
    await resolve(token)
    await eventually(async () => {
      const { rows } = await directory.query(
        `select 1 from directory.sessions where id = $1 and last_used_at > now() - interval '1 minute'`,
        [session?.id],
      )
      return rows.length
    })
  })

  it('are ended one by one or all at once, for the very next request', async () => {
    const carol = await directory.addUser('carol')
    const [first, second, third] = [
      await signIn(carol.email),
      await signIn(carol.email),
      await signIn(carol.email),
    ]
    const { sessions } = directory.clients
    const call = await directory.as(carol)
    await using holder = new TestHolder(directory.clients.access, system)
    await eventually(() => holder.hasLease())
    holder.keepAlive(200)

    const listed = await sessions.listSessions(own, call)
    expect(listed.sessions.map(({ id }) => id).sort()).toEqual(
      [first, second, third].map(({ session }) => session?.id).sort(),
    )
    holder.cache.set(first.token, 'access')
    const byToken = { sessionRef: { $case: 'token', value: first.token } } as const
    expect(await sessions.endSession(byToken, call)).toEqual({ ended: true })
    expect(holder.recall(first.token)).toBeUndefined()
    await isEnded(first.token)
    expect(await sessions.endSession(byToken, call)).toEqual({ ended: false })
    const sessionId = second.session?.id ?? 0
    const byId = { sessionRef: { $case: 'sessionId', value: sessionId } } as const
    expect(await sessions.endSession(byId, await directory.as(bob))).toEqual({ ended: false })
    await resolve(second.token)
    expect(await sessions.endSession(byId, call)).toEqual({ ended: true })
    await isEnded(second.token)

    const open = await newLink(carol.email)
    holder.cache.set(third.token, 'access')
    expect(await sessions.endAllSessions(all, call)).toEqual({ ended: 1 })
    expect(holder.recall(third.token)).toBeUndefined()
    await isEnded(third.token)
    await expectRefused([redeem(open)], { reason: 'SIGN_IN_LINK_ENDED' })
  })

  it('are told apart from the one that asks, which goes on when all others end', async () => {
    const gina = await directory.addUser('gina')
    const [mine, other] = [await signIn(gina.email), await signIn(gina.email)]
    const { sessions } = directory.clients
    const call = { token: (await resolve(mine.token)).token }
    const current = { userId: 0, currentToken: mine.token }
    const listed = await sessions.listSessions(current, call)
    const currentIds = listed.sessions.filter(({ isCurrent }) => isCurrent).map(({ id }) => id)
    expect([listed.sessions.length, currentIds]).toEqual([2, [mine.session?.id]])
    const foreign = { userId: 0, currentToken: (await signIn(bob.email)).token }
    for (const { isCurrent } of (await sessions.listSessions(foreign, call)).sessions)
      expect(isCurrent).toBe(false)
    const open = await newLink(gina.email)
    expect(await sessions.endAllSessions({ userId: 0, keptToken: mine.token }, call)).toEqual({
      ended: 1,
    })
    await isEnded(other.token)
    await resolve(mine.token)
    await expectRefused([redeem(open)], { reason: 'SIGN_IN_LINK_ENDED' })
  })

  it('end in the moment in which another one begins in their place, or neither happens', async () => {
    const old = await signIn(alice.email)
    await using holder = new TestHolder(directory.clients.access, system)
    await eventually(() => holder.hasLease())
    holder.keepAlive(200)
    await expectRefused([redeem(createSignInToken('link'), '', old.token)], {
      reason: 'SIGN_IN_LINK_ENDED',
    })
    await resolve(old.token)
    holder.cache.set(old.token, 'access')
    const { session } = await redeem(await newLink(bob.email), '', old.token)
    expect(holder.recall(old.token)).toBeUndefined()
    await isEnded(old.token)
    expect((await resolve(present(session).token)).caller?.userId).toBe(bob.id)
  })

  it('and links end with their user', async () => {
    const dave = await directory.addUser('dave')
    const { token } = await signIn(dave.email)
    const link = await newLink(dave.email)
    const call = { token: (await resolve(token)).token }
    await directory.clients.users.deleteUser({ userId: String(dave.id), name: 'dave' }, call)
    await isEnded(token)
    await expectRefused([redeem(link)], { reason: 'SIGN_IN_LINK_ENDED' })
  })

  it('are bounded in number: of too many, what was used longest ago ends', async () => {
    const erin = await directory.addUser('erin')
    const { token, session } = await signIn(erin.email)
    await directory.query(
      `insert into directory.sessions (user_id, hash, user_agent, last_used_at, idle_for, lasts_until)
       select ${erin.id}, sha256(i::text::bytea), '', now() + interval '1 minute', '1 hour', now() + interval '1 day'
       from generate_series(1, 99) i`,
    )
    await resolve(token)
    await directory.query(
      `update directory.sessions set last_used_at = now() - interval '1 minute' where id = $1`,
      [session?.id],
    )
    const next = await signIn(erin.email)
    await isEnded(token)
    await resolve(next.token)
  })

  it("are nobody's business but their user's and the system's", async () => {
    const { sessions } = directory.clients
    const token = await newLink(alice.email)
    const sessionRef = { $case: 'token', value: (await signIn(alice.email)).token } as const
    const scoped = await directory.withScope(alice, { readOnly: true })
    for (const call of [
      await directory.as(bob),
      await directory.as(),
      await directory.as(scoped),
    ]) {
      const create = { email: alice.email, next: '', origin: LinkOrigin.OPERATOR }
      const beginning = { userAgent: '', replacedToken: '' }
      const start = { email: alice.email, name: '', mayCreateUser: false, ...beginning }
      await expectRefused(
        [
          sessions.createSignInLink(create, call),
          sessions.getSignInLink({ token }, call),
          sessions.redeemSignInLink({ token, userAgent: '', replacedToken: '' }, call),
          sessions.startSession(start, call),
        ],
        { code: 'forbidden' },
      )
    }
    await expectRefused(
      [
        sessions.listSessions({ ...own, userId: alice.id }, await directory.as(bob)),
        sessions.endAllSessions({ ...all, userId: alice.id }, await directory.as(bob)),
        sessions.listSessions(own, await directory.as(scoped)),
        sessions.endSession({ sessionRef }, await directory.as(scoped)),
      ],
      { code: 'forbidden' },
    )
    await expectRefused([sessions.endAllSessions(all, await directory.as())], {
      code: 'unauthenticated',
    })
    await expectRefused(
      [
        sessions.endSession({ sessionRef: undefined }, await directory.as(alice)),
        sessions.endAllSessions(all, system),
      ],
      {},
    )
    await resolve(sessionRef.value)
  })
})
