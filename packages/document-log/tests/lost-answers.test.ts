import fc from 'fast-check'
import { TcpProxy, type ProxyFault } from '@sheaf/testkit/tcp-proxy'
import { eventually } from '@sheaf/testkit/eventually'
import type { AppendError } from '../src/append-error'
import { openHead } from '../src/heads'
import type { AppenderOptions } from '../src/record-appender'
import {
  createDocument,
  openAppender,
  openDocument,
  opener,
  readLog,
  startLog,
  textsOf,
  type TestLog,
} from './test-log'

let log: TestLog
let proxy: TcpProxy

beforeAll(async () => {
  log = await startLog()
  proxy = await TcpProxy.start(log.url)
})

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await log[Symbol.asyncDispose]()
})

/** Milliseconds within which appends are answered while PostgreSQL is away: few, but enough for a busy machine. */
const AWAY_MS = 3_000
/** Less than it takes to give up in another way. */
const BOUND_MS = 20_000

const openThrough = (options?: Partial<AppenderOptions>) =>
  openAppender({ url: proxy.through(log.url) }, options)

describe('a connection that is lost', () => {
  it.each<ProxyFault>(['cut_before', 'cut_after', 'late'])(
    'appends the records once (%s)',
    async (fault) => {
      const doc = await createDocument(log)
      const { group } = await openDocument(log, doc)
      using appender = openThrough()
      await appender.append(group(1, 'a'))
      proxy.failNext(fault)
      await appender.append(group(2, 'b'))
      expect(proxy.isArmed).toBe(false)
      await appender.append(group(3, 'c'))
      expect(textsOf(await readLog(log, doc))).toEqual(['born', 'a', 'b', 'c'])
    },
  )

  it('leaves a group fenced that did not arrive before another opening', async () => {
    const doc = await createDocument(log)
    const { group } = await openDocument(log, doc)
    using appender = openThrough()
    await appender.append(group(1, 'a'))
    proxy.failNext('cut_before')
    await openHead(log.db, doc, { ...opener, assigned: 0 })
    await expect(appender.append(group(2, 'b'))).rejects.toMatchObject({ outcome: 'fenced' })
  })

  it('knows a group that arrived before another opening, which fences only what follows', async () => {
    const doc = await createDocument(log)
    const { group } = await openDocument(log, doc)
    using appender = openThrough()
    await appender.append(group(1, 'a'))
    proxy.failNext('cut_after')
    const appending = appender.append(group(2, 'b'))
    await eventually(async () => (await readLog(log, doc)).length === 3, { everyMs: 1 })
    await openHead(log.db, doc, { ...opener, assigned: 0 })
    await appending
    await expect(appender.append(group(3, 'c'))).rejects.toMatchObject({ outcome: 'fenced' })
    expect(textsOf(await readLog(log, doc))).toEqual(['born', 'a', 'b'])
  })
})

describe('PostgreSQL away', () => {
  it('is reported within its time, at once the next time, and ends by itself', async () => {
    const doc = await createDocument(log)
    const { group } = await openDocument(log, doc)
    const changes: boolean[] = []
    const changed = (isAway: boolean) => changes.push(isAway)
    using appender = openThrough({ changed, answerMs: AWAY_MS })
    await appender.append(group(1, 'a'))
    proxy.refuse()
    const since = performance.now()
    const away = {
      code: 'unavailable',
      reason: 'LOG_UNAVAILABLE',
      metadata: { retryAfterMs: '1000' },
    }
    await expect(appender.append(group(2, 'b'))).rejects.toMatchObject(away)
    expect(performance.now() - since).toBeLessThan(BOUND_MS)
    await expect(appender.append(group(2, 'b'))).rejects.toMatchObject({ outcome: 'refused' })
    expect(changes).toEqual([true])
    proxy.admit()
    await eventually(() => changes.length === 2)
    await appender.append(group(2, 'b'))
    expect(textsOf(await readLog(log, doc))).toEqual(['born', 'a', 'b'])
  })

  it('leaves a group unknown whose answer does not come, and refuses those behind it', async () => {
    const doc = await createDocument(log)
    const { group } = await openDocument(log, doc)
    using appender = openThrough({ answerMs: AWAY_MS })
    await appender.append(group(1, 'a'))
    proxy.failNext('hang')
    const hanging = appender.append(group(2, 'b'))
    await eventually(() => !proxy.isArmed, { everyMs: 1 })
    await expect(hanging).rejects.toMatchObject({ outcome: 'unknown' })
  })
})

/** One append of a writer: with which fault, and whether it opens the document anew before. */
interface Step {
  readonly fault: ProxyFault | null
  readonly opens: boolean
  readonly records: number
}

const step: fc.Arbitrary<Step> = fc.record({
  fault: fc.option(fc.constantFrom<ProxyFault>('cut_before', 'cut_after', 'late'), { freq: 2 }),
  opens: fc.boolean(),
  records: fc.integer({ min: 1, max: 3 }),
})

/** What a writer was told of a record. */
type Told = 'appended' | AppendError['outcome']

/** A writer that opens the document whenever it has to, and keeps what it was told. */
async function write(doc: string, name: string, steps: readonly Step[]) {
  const told = new Map<string, Told>()
  using appender = openThrough()
  let opened = await openDocument(log, doc)
  let { lsn } = opened
  for (const [index, { fault, opens, records }] of steps.entries()) {
    if (opens) {
      opened = await openDocument(log, doc)
      lsn = opened.lsn
    }
    const texts = Array.from({ length: records }, (_, part) => `${name}${index}.${part}`)
    if (fault) proxy.failNext(fault)
    const outcome = await appender.append(opened.group(lsn, ...texts)).then(
      () => 'appended' as const,
      (error: AppendError) => error.outcome,
    )
    for (const text of texts) told.set(text, outcome)
    if (outcome === 'appended') lsn += records
    else {
      opened = await openDocument(log, doc)
      lsn = opened.lsn
    }
  }
  return told
}

it('two owners that race, with connections that break: what was acknowledged is in the log once, in order', async () => {
  const counts = { appended: 0, fenced: 0, refused: 0, unknown: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 10 }),
      fc.array(step, { minLength: 2, maxLength: 10 }),
      async (one, two) => {
        const doc = await createDocument(log)
        const all = await Promise.all([write(doc, 'x', one), write(doc, 'y', two)])
        proxy.admit()
        // Nothing that is still under way can arrive after this.
        const { lsn } = await openHead(log.db, doc, { ...opener, assigned: 0 })
        const records = await readLog(log, doc)
        expect(records.map((record) => record.lsn)).toEqual(
          Array.from({ length: lsn }, (_, index) => index + 1),
        )
        const terms = records.map(({ term }) => term)
        expect(terms).toEqual([...terms].sort((a, b) => a - b))
        const texts = textsOf(records)
        expect(new Set(texts).size).toBe(texts.length)
        for (const told of all) {
          const mine = texts.filter((text) => told.has(text))
          expect(mine).toEqual([...told.keys()].filter((text) => texts.includes(text)))
          for (const [text, outcome] of told) {
            counts[outcome]++
            if (outcome === 'appended') expect(texts).toContain(text)
            if (outcome === 'fenced' || outcome === 'refused') expect(texts).not.toContain(text)
          }
        }
      },
    ),
    { numRuns: 25 },
  )
  expect(counts.appended).toBeGreaterThan(50)
  expect(counts.fenced).toBeGreaterThan(0)
})
