import { connect, type Socket } from 'node:net'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest, type RestReply } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { newDocument } from '../support/system'

/** Requests that one gateway takes at once, and connections of the attacker. */
const REQUESTS = 200
const DRIPPING = 300
/** Addresses of this machine other than that of all other clients of these tests. */
const ATTACKER = '127.0.0.2'
const CALLS = 30
/** Runs until it is stopped. */
const ENDLESS =
  'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c'

describe('fair shares', () => {
  let sheaf: RunningSheaf
  let alice: Rest
  let eve: Rest
  beforeAll(async () => {
    sheaf = await startSheaf({ env: { SHEAF_PENDING_REQUESTS: String(REQUESTS) } })
    alice = createRest(sheaf.url, sheaf.ownerKey)
    eve = createRest(sheaf.url, (await sheaf.createUser('eve@example.com', 'Eve')).key)
  })
  afterAll(() => sheaf[Symbol.asyncDispose]())

  /** Begins a request from another address, with some bytes of a long body. */
  const drip = (headers: readonly string[]): Socket => {
    const { hostname, port } = new URL(sheaf.url)
    const socket = connect({ host: hostname, port: Number(port), localAddress: ATTACKER })
    socket.on('error', () => {})
    const lines = ['POST /api/orgs HTTP/1.1', 'Host: sheaf', 'Content-Length: 100000', ...headers]
    socket.write([...lines, 'Content-Type: application/json', '', '{"name":'].join('\r\n'))
    return socket
  }
  const statusesOf = (replies: readonly RestReply[]) => replies.map(({ status }) => status)
  const all = (status: number) => new Array<number>(CALLS).fill(status)

  it('leave room beside hundreds of connections that drip their bodies without a key', async () => {
    // Until its key is known, a request counts for its network as well.
    expect((await alice.get('/api/orgs')).status).toBe(200)
    const sockets = Array.from({ length: DRIPPING }, () => drip([]))
    let received = 0
    for (const socket of sockets)
      socket.once('data', () => {
        received++
      })
    try {
      // What is beyond the share is refused; the rest waits for bytes that never come.
      await eventually(() => received >= DRIPPING - REQUESTS / 4)
      const calls = Array.from({ length: CALLS }, () => alice.get('/api/orgs'))
      expect(statusesOf(await Promise.all(calls))).toEqual(all(200))
      const anonymous = createRest(sheaf.url)
      expect((await anonymous.get('/api/orgs')).status).toBe(200)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  it('are those of users once they are known, also from one network', async () => {
    const key = (await sheaf.createUser('eve@example.com', 'Eve')).key
    // Otherwise all connections may arrive before the key is known, and most are refused as those of their network.
    expect((await createRest(sheaf.url, key).get('/api/orgs')).status).toBe(200)
    const sockets = Array.from({ length: DRIPPING }, () => drip([`Authorization: Bearer ${key}`]))
    try {
      await eventually(async () => (await eve.get('/api/orgs')).status === 429)
      const calls = Array.from({ length: CALLS }, () => alice.get('/api/orgs'))
      expect(statusesOf(await Promise.all(calls))).toEqual(all(200))
    } finally {
      for (const socket of sockets) socket.destroy()
    }
    await eventually(async () => (await eve.get('/api/orgs')).status === 200)
  })

  it('leave processes for the statements of others beside endless ones in many documents', async () => {
    const mine = await newDocument(alice)
    const theirs = [await newDocument(eve), await newDocument(eve), await newDocument(eve)]
    let running = true
    const attack = async (doc: string) => {
      while (running) await eve.post(`${doc}/sql`, { body: { sql: ENDLESS } })
    }
    const attacks = theirs.flatMap((doc) => [attack(doc), attack(doc)])
    const replies: RestReply[] = []
    for (let call = 0; call < CALLS; call++)
      replies.push(await alice.get(`${mine}/sql`, { query: { q: 'select 1 as a' } }))
    running = false
    expect(statusesOf(replies)).toEqual(all(200))
    await Promise.all(attacks)
  })

  it('are those of one network behind a proxy that is not configured, of which the log warns once', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    for (let call = 0; call < 3; call++) await alice.get('/api/orgs', { headers })
    await eventually(() => sheaf.output().includes('SHEAF_PROXIES'))
    await alice.get('/api/orgs', { headers })
    expect(sheaf.output().match(/SHEAF_PROXIES/g)).toHaveLength(1)
  })

  it('leave streams of changes for others when two users open as many as they can', async () => {
    const bob = createRest(sheaf.url, (await sheaf.createUser('bob@example.com', 'Bob')).key)
    const ended = new AbortController()
    const open = async (rest: Rest, key: string, count: number) => {
      const docs = await Promise.all([newDocument(rest), newDocument(rest)])
      const streams = Array.from({ length: count }, (_, index) =>
        fetch(`${sheaf.url}${docs[index % 2]}/changes?since=0`, {
          headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
          signal: ended.signal,
        }),
      )
      return (await Promise.all(streams)).map(({ status }) => status)
    }
    try {
      const keyOf = async (name: string) =>
        (await sheaf.createUser(`${name}@example.com`, name)).key
      const opened = await Promise.all([
        open(eve, await keyOf('eve'), REQUESTS),
        open(bob, await keyOf('bob'), REQUESTS),
      ])
      for (const statuses of opened) expect(new Set(statuses)).toEqual(new Set([200, 429]))
      expect(await open(alice, sheaf.ownerKey, 2)).toEqual([200, 200])
    } finally {
      ended.abort()
    }
  })
})
