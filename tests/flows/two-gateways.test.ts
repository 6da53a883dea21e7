import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf, type SheafUser } from '@sheaf/testkit/sheaf'
import { startSecondGateway, type SecondGateway } from '../support/second-gateway'
import { addRecords, addTable, newDocument } from '../support/system'

describe('a change of access through one of two gateways', () => {
  let sheaf: RunningSheaf
  let second: SecondGateway
  let dan: SheafUser
  let doc: string
  /** The owner and dan, at the first and at the second gateway. */
  let owners: [Rest, Rest]
  let guests: [Rest, Rest]
  const gateways = [0, 1] as const

  beforeAll(async () => {
    // High limits, so that no request is rejected for their number, or because the machine is busy.
    const env = { SHEAF_RATE_LIMIT: '0', SHEAF_LOOP_DELAY_MS: '60000' }
    sheaf = await startSheaf({ ownEngines: true, env })
    second = await startSecondGateway(sheaf)
    dan = await sheaf.createUser('dan@example.com', 'Dan')
    const urls = [sheaf.url, second.url] as const
    owners = [createRest(urls[0], sheaf.ownerKey), createRest(urls[1], sheaf.ownerKey)]
    guests = [createRest(urls[0], dan.key), createRest(urls[1], dan.key)]
    doc = await newDocument(owners[0])
    await addTable(owners[0], doc, 'Words', { Word: 'Text' })
    await addRecords(owners[0], `${doc}/tables/Words`, [{ Word: 'sesame' }])
  })
  afterAll(async () => {
    await second?.[Symbol.asyncDispose]()
    await sheaf?.[Symbol.asyncDispose]()
  })

  const put = async (gateway: 0 | 1, role: string | null): Promise<void> => {
    const body = { delta: { users: { [dan.email]: role } } }
    const { status, text } = await owners[gateway].patch(`${doc}/access`, { body })
    expect([status, text]).toEqual([200, 'null'])
  }
  const read = async (gateway: 0 | 1): Promise<number> =>
    (await guests[gateway].get(`${doc}/tables/Words/records`)).status
  const write = async (gateway: 0 | 1): Promise<number> => {
    const body = { records: [{ id: 1, fields: { Word: 'x' } }] }
    return (await guests[gateway].patch(`${doc}/tables/Words/records`, { body })).status
  }

  async function checkBothWays(): Promise<void> {
    for (const here of gateways) {
      const there = here === 0 ? 1 : 0
      await put(here, 'editors')
      expect([await write(there), await read(here)]).toEqual([200, 200])
      await put(here, 'viewers')
      expect([await write(there), await read(there), await write(here)]).toEqual([403, 200, 403])
      await put(here, null)
      expect([await read(there), await read(here)]).toEqual([403, 403])
    }
  }

  it('is what the other goes by on the next request', async () => {
    for (let round = 0; round < 5; round++) await checkBothWays()
  })

  it('is so too while NATS does not answer', async () => {
    await sheaf.kill('nats', 'SIGSTOP')
    try {
      await checkBothWays()
    } finally {
      await sheaf.kill('nats', 'SIGCONT')
    }
  })

  it('is so too when the other gateway was frozen meanwhile', async () => {
    await put(0, 'editors')
    expect(await read(1)).toBe(200)
    second.freeze()
    try {
      await put(0, null)
      const asked = [read(1), write(1)]
      second.resume()
      expect(await Promise.all(asked)).toEqual([403, 403])
    } finally {
      second.resume()
    }
  })

  it('is so too when the link of the other gateway to directory was frozen meanwhile', async () => {
    await put(0, 'editors')
    expect(await read(1)).toBe(200)
    second.freezeLink()
    try {
      await put(0, null)
      // The gateway may not use its cache and cannot reach directory; a request that needs no reply shows
      // that it has arrived.
      const asked = read(1)
      expect((await guests[1].get('/status')).status).toBe(200)
      second.resumeLink()
      expect(await asked).not.toBe(200)
      await eventually(async () => (await read(1)) === 403)
    } finally {
      second.resumeLink()
    }
  })

  it('is what 100 clients of both see from the moment that it was answered', async () => {
    const expected = { given: 200, taken: 403 } as const
    let phase: keyof typeof expected | undefined
    let epoch = 0
    let confirmed = 0
    let isOver = false
    const wrong: string[] = []
    const others = new Map<number, number>()
    const client = async (i: number) => {
      while (!isOver) {
        const before = { phase, epoch }
        const gateway = gateways[i % 2 === 0 ? 0 : 1]
        const path = i % 4 < 2 ? `${doc}/tables/Words/records?limit=1` : doc
        const { status } = await guests[gateway].get(path)
        // Requests in flight during the change of access may count as before or after it.
        if (before.phase === undefined || before.epoch !== epoch) continue
        if (status === expected[before.phase]) confirmed++
        else if (status === 200 || status === 403)
          wrong.push(`${status} by gateway ${gateway} when access was ${before.phase}`)
        else others.set(status, (others.get(status) ?? 0) + 1)
      }
    }
    const clients = Array.from({ length: 100 }, (_, i) => client(i))
    try {
      for (let round = 0; round < 6; round++) {
        phase = undefined
        epoch++
        const next = round % 2 === 0 ? 'given' : 'taken'
        await put(round % 4 < 2 ? 0 : 1, next === 'given' ? 'viewers' : null)
        phase = next
        confirmed = 0
        await eventually(() => confirmed >= 100, { timeoutMs: 60_000 })
      }
    } finally {
      isOver = true
      await Promise.all(clients)
    }
    expect(wrong).toEqual([])
    expect([...others]).toEqual([])
  })
})
