import { eventually } from '@sheaf/testkit/eventually'
import { collectGarbage } from '@sheaf/testkit/garbage'
import {
  events,
  json,
  refuse,
  someEvents,
  startServer,
  withTag,
  type Reply,
} from '../tests/scripted-server.ts'
import {
  ConflictError,
  InvalidRequestError,
  PermissionError,
  Sheaf,
  UnavailableError,
  type Change,
  type PresentSession,
} from './index.ts'

const change = (seq: number) => ({ seq, time: '', userId: 1, cause: 'api', operations: [] })
const event = (seq: number) => `id: ${seq}\nevent: change\ndata: ${JSON.stringify(change(seq))}\n\n`
const retry = { firstDelayMs: 1, maxDelayMs: 2, attempts: 3 }

const follow = (url: string, options = {}) =>
  new Sheaf({ url, retry }).doc('d').changes({ after: 4, retry, ...options })

/** Reads changes up to one, then stops. */
async function readUntil(changes: AsyncIterable<Change>, seq: number): Promise<number[]> {
  const found: number[] = []
  for await (const change of changes) {
    found.push(change.seq)
    if (change.seq === seq) break
  }
  return found
}

describe('changes', () => {
  it.each<[string, Reply]>([
    ['ends', someEvents('end', event(5), event(6))],
    ['breaks', someEvents('destroy', event(5), event(6))],
    ['breaks within a change', someEvents('destroy', event(5), event(6), event(7).slice(0, 40))],
    ['is silent', events(event(5), event(6))],
  ])('continue after the last one when the connection %s', async (_, first) => {
    await using server = await startServer(
      first,
      refuse(503, 'GATEWAY_BUSY'),
      events(event(6), event(7)),
    )
    expect(await readUntil(follow(server.url, { silenceMs: 1_000 }), 7)).toEqual([5, 6, 7])
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/docs/d/changes?since=4',
      '/api/docs/d/changes?since=6',
      '/api/docs/d/changes?since=6',
    ])
    expect(server.seen[0]?.headers.accept).toBe('text/event-stream')
  })

  it('have who is present with a session, and ask for it again with each connection', async () => {
    const present = (...names: string[]) =>
      `event: presence\ndata: ${JSON.stringify({ sessions: names.map((name) => ({ name })) })}\n\n`
    await using server = await startServer(
      someEvents('end', present('Ada'), event(5)),
      events(present('Ada', 'Bob'), event(6)),
    )
    const lists: string[][] = []
    const onPresence = (sessions: readonly PresentSession[]) =>
      lists.push(sessions.map(({ name }) => name))
    const changes = follow(server.url, { session: 'k3VtX9wQ', onPresence })
    expect(await readUntil(changes, 6)).toEqual([5, 6])
    expect(lists).toEqual([['Ada'], ['Ada', 'Bob']])
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/docs/d/changes?since=4&session=k3VtX9wQ',
      '/api/docs/d/changes?since=5&session=k3VtX9wQ',
    ])
  })

  it('end with the error of the server when connecting is refused', async () => {
    await using cutLog = await startServer(
      refuse(409, 'CHANGES_CUT', { details: { oldestSeq: 9 } }),
    )
    const error = await readUntil(follow(cutLog.url), 0).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toMatchObject({ reason: 'CHANGES_CUT', details: { oldestSeq: 9 } })
    await using gone = await startServer(refuse(503, 'HOME_UNAVAILABLE'))
    await expect(readUntil(follow(gone.url), 0)).rejects.toBeInstanceOf(UnavailableError)
    expect(gone.seen).toHaveLength(3)
  })

  it('end with the refusal when access is revoked', async () => {
    const end = 'event: end\ndata: {"error":"no","details":{"reason":"ACCESS_DENIED"}}\n\n'
    await using server = await startServer(
      someEvents('end', event(5), end),
      refuse(403, 'ACCESS_DENIED'),
    )
    await expect(readUntil(follow(server.url), 0)).rejects.toBeInstanceOf(PermissionError)
  })

  it('end when the document was replaced, whose log is another one', async () => {
    const end = 'event: end\ndata: {"error":"replaced","details":{"reason":"CHANGES_CUT"}}\n\n'
    await using server = await startServer(someEvents('end', event(5), end), events(event(6)))
    await expect(readUntil(follow(server.url), 6)).rejects.toMatchObject({
      name: 'ConflictError',
      reason: 'CHANGES_CUT',
    })
    expect(server.seen).toHaveLength(1)
  })

  describe.each<[string, object, (...changes: readonly number[]) => Reply]>([
    ['followed', {}, (...changes) => someEvents('end', ...changes.map(event))],
    [
      'read up to the latest one',
      { follow: false },
      (...changes) => json({ changes: changes.map(change), latest: 9 }),
    ],
  ])('that are %s', (_, options, reply) => {
    const cut = { name: 'ConflictError', status: 409, reason: 'CHANGES_CUT' }
    const shorter = refuse(400, 'INVALID_PARAMETER', {
      details: { parameter: 'since', latest: '4' },
    })

    it.each<[string, Reply]>([
      ['has other changes at the same positions', withTag('W/"b.9-events"', reply(6, 7))],
      ['is shorter than the position', shorter],
    ])('end when the document was replaced between two answers, whose log %s', async (_, next) => {
      await using server = await startServer(withTag('W/"a.5-new-events"', reply(5)), next)
      const seen: number[] = []
      const reading = async () => {
        for await (const { seq } of follow(server.url, options)) if (seen.push(seq) > 1) return
      }
      await expect(reading()).rejects.toMatchObject(cut)
      expect([seen, server.seen.length]).toEqual([[5], 2])
    })

    it.each<[string, Reply]>([
      ['another', withTag('W/"b.9"', reply(5))],
      ['a shorter', shorter],
    ])('end when %s log answers than that of the given ETag', async (_, first) => {
      await using server = await startServer(first)
      const reading = readUntil(follow(server.url, { ...options, etag: 'W/"a.4~-ndjson"' }), 5)
      await expect(reading).rejects.toMatchObject(cut)
    })

    it('fail for a position that is none, which tells nothing about the log', async () => {
      await using server = await startServer(
        refuse(400, 'INVALID_PARAMETER', { details: { parameter: 'since' } }),
      )
      const reading = readUntil(follow(server.url, { ...options, after: -1, etag: 'W/"a.4"' }), 5)
      await expect(reading).rejects.toBeInstanceOf(InvalidRequestError)
    })

    it('continue in the same log, of which responses have different ETags', async () => {
      await using server = await startServer(
        withTag('W/"a.5-events"', reply(5)),
        withTag('"a.9-new-events"', reply(6)),
        reply(7),
      )
      const changes = follow(server.url, { ...options, etag: 'W/"a.4"' })
      expect(await readUntil(changes, 7)).toEqual([5, 6, 7])
    })
  })

  it('tell when their stream is connected, and when it has ended', async () => {
    await using server = await startServer(
      someEvents('end', event(5)),
      refuse(503, 'GATEWAY_BUSY'),
      events(event(6)),
    )
    const states: boolean[] = []
    const onConnection = (isConnected: boolean) => states.push(isConnected)
    await readUntil(follow(server.url, { onConnection }), 6)
    expect(states).toEqual([true, false, true])
  })

  it('end when the signal is aborted', async () => {
    await using server = await startServer(events(event(5)))
    const controller = new AbortController()
    const changes = follow(server.url, { signal: controller.signal })
    expect((await changes.next()).value).toEqual(change(5))
    const next = changes.next()
    controller.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
    expect(server.seen).toHaveLength(1)
  })

  it('end when the signal is aborted after garbage was collected, which made the fetch of Node 20 deaf to it', async () => {
    await using server = await startServer(events(event(5)))
    const controller = new AbortController()
    const changes = follow(server.url, { signal: controller.signal })
    await changes.next()
    let end: unknown
    changes.next().catch((error: unknown) => (end = error))
    await collectGarbage()
    controller.abort(new Error('enough'))
    // Not the call itself, which would never end.
    await eventually(() => expect(end).toEqual(new Error('enough')), { timeoutMs: 20_000 })
  })

  it('close their connection when the loop is left', async () => {
    let isClosed = false
    await using server = await startServer((response, request) => {
      response.on('close', () => (isClosed = true))
      events(event(5))(response, request)
    })
    expect(await readUntil(follow(server.url), 5)).toEqual([5])
    while (!isClosed) await new Promise(setImmediate)
  })

  it('end with the latest one if they are not followed', async () => {
    await using server = await startServer(
      json({ changes: [change(5), change(6)], latest: 7 }),
      json({ changes: [change(7)], latest: 7 }),
    )
    expect(await readUntil(follow(server.url, { follow: false }), 0)).toEqual([5, 6, 7])
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/docs/d/changes?since=4',
      '/api/docs/d/changes?since=6',
    ])
  })
})
