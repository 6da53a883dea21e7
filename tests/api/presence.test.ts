import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSecondGateway, type SecondGateway } from '../support/second-gateway'
import { openServerEvents } from '../support/server-events'
import { newDocument, useOwnSystem } from '../support/system'

const system = useOwnSystem()
let doc = ''
let vera: { id: number; key: string; rest: Rest }
let other: SecondGateway

interface Session {
  userId: number
  name: string
  sessionId: string
  place: object
}

const share = (email: string, role: string | null) =>
  system.alice.rest.patch(`${doc}/access`, { body: { delta: { users: { [email]: role } } } })

beforeAll(async () => {
  await system.alice.rest.post('/api/profile/user/name', { body: { name: 'Alice' } })
  doc = await newDocument(system.alice.rest)
  const made = await system.sheaf.createUser('vera@example.com', 'Vera')
  vera = { ...made, rest: createRest(system.sheaf.url, made.key) }
  await share('vera@example.com', 'viewers')
  other = await startSecondGateway(system.sheaf)
})
afterAll(() => other[Symbol.asyncDispose]())

/** Opens a stream of changes with a session; `sessions` returns the latest list of who is present. */
async function openSession(
  sessionId: string,
  { key = system.sheaf.ownerKey, url = system.sheaf.url } = {},
) {
  const path = `${doc}/changes?since=0&session=${sessionId}`
  const stream = await openServerEvents(`${url}${path}`, key)
  const lists = () => stream.events.filter(({ event }) => event === 'presence')
  const sessions = () => (lists().at(-1)?.data as { sessions: Session[] } | undefined)?.sessions
  const names = () => sessions()?.map(({ name }) => name)
  return { ...stream, lists, sessions, names }
}

const put = (rest: Rest, sessionId: string, body: object) =>
  rest.put<{ error?: string; details?: { reason?: string } }>(`${doc}/presence/${sessionId}`, {
    body,
  })

describe('who has a document open', () => {
  it('is part of the streams of changes of all of them, at any gateway', async () => {
    const alice = await openSession('session-a')
    await eventually(() => expect(alice.names()).toEqual(['Alice']))
    const viewer = await openSession('session-v', { key: vera.key, url: other.url })
    await eventually(() => {
      expect(alice.names()).toEqual(['Alice', 'Vera'])
      expect(viewer.sessions()).toEqual(alice.sessions())
    })
    expect(viewer.sessions()?.[1]).toEqual({
      userId: vera.id,
      name: 'Vera',
      sessionId: 'session-v',
      place: {},
    })
    viewer.close()
    await eventually(() => expect(alice.names()).toEqual(['Alice']))
    alice.close()
  })

  it('has where each is, which its user sets at any gateway', async () => {
    const alice = await openSession('session-a')
    const viewer = await openSession('session-v', { key: vera.key })
    await eventually(() => expect(alice.names()).toHaveLength(2))
    const cell = { tableId: 'Table1', rowId: 7, colId: 'A' }
    const there = createRest(other.url, vera.key)
    expect((await put(there, 'session-v', cell)).status).toBe(200)
    await eventually(() => expect(alice.sessions()?.[1]?.place).toEqual(cell))
    await put(vera.rest, 'session-v', { tableId: 'Table1' })
    await eventually(() => expect(alice.sessions()?.[1]?.place).toEqual({ tableId: 'Table1' }))
    await put(vera.rest, 'session-v', {})
    await eventually(() => expect(alice.sessions()?.[1]?.place).toEqual({}))
    alice.close()
    viewer.close()
  })

  it('is sent once for many moves at once, with the last place', async () => {
    const alice = await openSession('session-a')
    await eventually(() => expect(alice.names()).toEqual(['Alice']))
    const move = (rowId: number) =>
      put(system.alice.rest, 'session-a', { tableId: 'Table1', rowId })
    // Moves that a slow machine makes one by one are sent one by one.
    let last = 40
    await eventually(async () => {
      const before = alice.lists().length
      await Promise.all(Array.from({ length: 39 }, (_, index) => move(index + 1)))
      const rowId = last++
      await move(rowId)
      await eventually(() => expect(alice.sessions()?.[0]?.place).toMatchObject({ rowId }))
      expect(alice.lists().length - before).toBeLessThan(40)
    })
    alice.close()
  })

  it('ends with access to the document', async () => {
    const alice = await openSession('session-a')
    const viewer = await openSession('session-v', { key: vera.key })
    await eventually(() => expect(alice.names()).toHaveLength(2))
    await share('vera@example.com', null)
    await viewer.ended
    expect(viewer.events.at(-1)?.event).toBe('end')
    await eventually(() => expect(alice.names()).toEqual(['Alice']))
    expect((await put(vera.rest, 'session-v', {})).status).toBe(403)
    await share('vera@example.com', 'viewers')
    alice.close()
  })

  it('is not shown to anonymous callers, who do not appear either', async () => {
    await share('anon@getgrist.com', 'viewers')
    const alice = await openSession('session-a')
    const url = `${system.sheaf.url}${doc}/changes?session=session-x`
    const stream = await openServerEvents(url, undefined)
    await eventually(() => {
      expect(stream.seqs()).toEqual([1])
      expect(alice.names()).toEqual(['Alice'])
    })
    const viewer = await openSession('session-v', { key: vera.key })
    await eventually(() => expect(alice.names()).toEqual(['Alice', 'Vera']))
    expect(stream.events.map(({ event }) => event)).toEqual(['change'])
    const refused = await put(system.anonymous, 'session-x', {})
    expect([refused.status, refused.body.details?.reason]).toEqual([401, 'SIGN_IN_NEEDED'])
    for (const { close } of [alice, stream, viewer]) close()
    await share('anon@getgrist.com', null)
  })

  it('comes back after the service that has the document was killed', async () => {
    const alice = await openSession('session-a')
    const viewer = await openSession('session-v', { key: vera.key, url: other.url })
    await eventually(() => expect(alice.names()).toHaveLength(2))
    const pid = await system.sheaf.kill('document-data')
    await system.sheaf.restarted('document-data', pid)
    await eventually(async () => {
      const { status } = await put(vera.rest, 'session-v', { tableId: 'Table1' })
      expect(status).toBe(200)
    })
    await eventually(() =>
      expect(alice.sessions()).toContainEqual(
        expect.objectContaining({ name: 'Vera', place: { tableId: 'Table1' } }),
      ),
    )
    alice.close()
    viewer.close()
  })

  it.each<[object, string]>([
    [{ tableId: '' }, 'tableId'],
    [{ tableId: 'x'.repeat(501) }, 'tableId'],
    [{ rowId: 1 }, 'tableId'],
    [{ tableId: 'T', rowId: 0 }, 'rowId'],
    [{ tableId: 'T', rowId: 2 ** 31 }, 'rowId'],
    [{ tableId: 'T', colId: 'A' }, 'rowId'],
    [{ tableId: 'T', rowId: 1, colId: 5 }, 'colId'],
  ])('refuses the place %j', async (body, field) => {
    const { status, body: answer } = await put(system.alice.rest, 'session-a', body)
    expect(status).toBe(400)
    expect(JSON.stringify(answer)).toContain(field)
  })

  it('refuses names of sessions that are too short, and those of others', async () => {
    const short = await system.alice.rest.get(`${doc}/changes`, { query: { session: 'a' } })
    expect(short.status).toBe(400)
    expect((await put(system.alice.rest, 'a', {})).status).toBe(400)
    const viewer = await openSession('session-v', { key: vera.key })
    await eventually(() => expect(viewer.names()).toEqual(['Vera']))
    const { status, body } = await put(system.alice.rest, 'session-v', {})
    expect([status, body.details?.reason]).toEqual([404, 'PRESENCE_NOT_FOUND'])
    viewer.close()
  })
})
