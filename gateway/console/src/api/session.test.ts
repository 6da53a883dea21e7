import { fetchSession, watchSession, type Session } from './session'
import { docOf, requestText } from './sheaf'

/** The session of the browser, as the server knows it; undefined for none. */
let signedIn: { id: number; token: string } | undefined
/** Whether bodies never end. */
let isStalled = false
const seen: string[] = []

const reply = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })
const userOf = (id: number) => ({ id, name: `User ${id}`, email: '' })

const stalledBody = (signal: RequestInit['signal']) =>
  new ReadableStream({
    start: (controller) => signal?.addEventListener('abort', () => controller.error(signal.reason)),
  })

/** Answers as the server does: writes need the token of the session. */
async function answer(url: string, init: RequestInit): Promise<Response> {
  const { pathname } = new URL(url)
  const token = new Headers(init.headers).get('x-csrf-token')
  seen.push(`${init.method} ${pathname} ${token}`)
  if (pathname === '/api/session') {
    const { id, token: csrfToken } = signedIn ?? {}
    return reply(200, { user: id === undefined ? null : userOf(id), csrfToken: csrfToken ?? null })
  }
  if (init.method !== 'GET' && (!signedIn || token !== signedIn.token))
    return reply(401, { error: 'no', details: { reason: 'CSRF_TOKEN_NEEDED' } })
  if (isStalled) return new Response(stalledBody(init.signal))
  return signedIn ? reply(200, null) : reply(403, { error: 'no', details: {} })
}

describe('the session of a page', () => {
  const sessions: (number | undefined)[] = []
  const write = () => docOf('d').table('People').delete([1])
  const writes = () => seen.filter((request) => request.startsWith('POST'))

  beforeEach(async () => {
    Object.assign(globalThis, { fetch: answer, location: new URL('http://sheaf/') })
    watchSession(({ user }: Session) => sessions.push(user?.id))
    signedIn = { id: 1, token: 'first' }
    await fetchSession()
    sessions.length = seen.length = 0
    isStalled = false
  })

  it('authenticates writes', async () => {
    await write()
    expect(seen).toEqual(['POST /api/docs/d/tables/People/records/delete first'])
  })

  it('is fetched once when calls are refused, which are then made with its new token', async () => {
    signedIn = { id: 1, token: 'second' }
    await Promise.all([write(), write()])
    expect(writes().map((request) => request.split(' ').at(-1))).toEqual([
      ...['first', 'first'],
      ...['second', 'second'],
    ])
    expect(sessions).toEqual([1])
  })

  it('never writes on behalf of another user who has signed in', async () => {
    signedIn = { id: 2, token: 'of another' }
    await expect(write()).rejects.toMatchObject({ reason: 'CSRF_TOKEN_NEEDED' })
    expect(seen.join()).not.toContain('of another')
    expect(writes()).toHaveLength(1)
    expect(sessions).toEqual([2])
    await expect(write()).rejects.toMatchObject({ status: 401 })
    expect(seen.join()).not.toContain('of another')
  })

  it('authenticates calls for texts, whose bodies have a limit of time as well', async () => {
    jest.useFakeTimers()
    try {
      isStalled = true
      const text = requestText({ method: 'POST', path: '/api/x' })
      const refused = expect(text).rejects.toMatchObject({ reason: 'TIMED_OUT' })
      await jest.advanceTimersByTimeAsync(70_000)
      await refused
      expect(seen).toEqual(['POST /api/x first'])
    } finally {
      jest.useRealTimers()
    }
  })

  it('makes a call that was refused after signing out once, not again without a token', async () => {
    signedIn = undefined
    await expect(write()).rejects.toMatchObject({ reason: 'CSRF_TOKEN_NEEDED' })
    expect(writes()).toHaveLength(1)
    signedIn = { id: 1, token: 'third' }
    await write()
    expect(writes().at(-1)).toMatch(/ third$/)
  })

  it('is known to have ended after a refused read', async () => {
    signedIn = undefined
    await expect(docOf('d').tables()).rejects.toMatchObject({ status: 403 })
    await expect(requestText({ method: 'GET', path: '/api/x' })).rejects.toMatchObject({
      status: 403,
    })
    expect(sessions).toEqual([undefined, undefined])
  })
})
