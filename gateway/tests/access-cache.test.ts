import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startStubbedGateway, DOC, type StubbedGateway } from './support/stub-services'

const listTables = async () => ({ tables: [], seq: 1 })
const start = () => startStubbedGateway({ tables: { listTables } })

const readAs = async ({ url }: StubbedGateway, key = 'alice-key', site?: string) =>
  (await createRest(url, key).get(`/api/docs/${DOC}/tables`, { site })).status

/** How many questions directory is asked while `work` runs. */
const questionsOf = async ({ access }: StubbedGateway, work: () => Promise<unknown>) => {
  const before = access.questions.length
  await work()
  return access.questions.length - before
}

/** Resolves when the gateway caches: it holds a lease. */
const leased = (system: StubbedGateway) =>
  eventually(async () => (await questionsOf(system, () => readAs(system))) === 0)

describe('decisions', () => {
  it('are asked once while the lease is held, for each key, document and site', async () => {
    await using system = await start()
    await leased(system)
    const twice = (key?: string, site?: string) =>
      questionsOf(system, async () => {
        await readAs(system, key, site)
        await readAs(system, key, site)
      })
    expect(await twice()).toBe(0)
    expect(await twice('bob-key')).toBe(1)
    expect(await twice('alice-key', 'acme')).toBe(1)
  })

  it('that are refusals are not kept', async () => {
    await using system = await start()
    await leased(system)
    expect(await questionsOf(system, () => readAs(system, 'dan-key'))).toBe(1)
    expect(await questionsOf(system, () => readAs(system, 'dan-key'))).toBe(1)
    expect(await questionsOf(system, () => readAs(system, 'nobody'))).toBe(1)
    expect(await questionsOf(system, () => readAs(system, 'nobody'))).toBe(1)
  })

  it('serve reads and writes: the role is checked against what is kept', async () => {
    await using system = await start()
    await leased(system)
    await readAs(system, 'carol-key')
    const write = () =>
      createRest(system.url, 'carol-key').post(`/api/docs/${DOC}/tables`, { body: {} })
    expect(await questionsOf(system, async () => expect((await write()).status).toBe(403))).toBe(0)
  })

  it('that many wait for are asked once', async () => {
    await using system = await start()
    await leased(system)
    const all = () => Promise.all(Array.from({ length: 20 }, () => readAs(system, 'bob-key')))
    let release = () => {}
    system.access.beforeAnswer = () => new Promise<void>((resolve) => (release = resolve))
    const asked = questionsOf(system, all)
    await eventually(() => system.access.questions.at(-1)?.credential?.value === 'bob-key')
    release()
    system.access.beforeAnswer = () => {}
    expect(await asked).toBeLessThanOrEqual(2)
  })

  it('end when their token or their key ends', async () => {
    await using system = await start()
    await leased(system)
    system.access.tokenMs = 5_100
    await readAs(system, 'bob-key')
    await eventually(async () => (await questionsOf(system, () => readAs(system, 'bob-key'))) === 1)
    system.access.tokenMs = 30_000
    system.access.keyExpiresAt = Date.now() + 50
    await readAs(system, 'carol-key')
    await eventually(
      async () => (await questionsOf(system, () => readAs(system, 'carol-key'))) === 1,
    )
  })
})

describe('a change of access', () => {
  it('drops what was decided before it, and directory is told so at once', async () => {
    await using system = await start()
    await leased(system)
    system.access.change()
    await eventually(() => system.access.dropped.at(-1) === 2)
    expect(await questionsOf(system, () => readAs(system))).toBe(1)
    expect(await questionsOf(system, () => readAs(system))).toBe(0)
  })

  it('keeps an answer that was under way from being kept or shared', async () => {
    await using system = await start()
    await leased(system)
    const { access } = system
    const waiting: (() => void)[] = []
    access.beforeAnswer = () => new Promise<void>((resolve) => waiting.push(resolve))
    const early = readAs(system, 'bob-key')
    await eventually(() => waiting.length === 1)
    access.change()
    await eventually(() => access.dropped.at(-1) === 2)
    // Begun after the change, so it must not get the answer from before.
    const late = readAs(system, 'bob-key')
    await eventually(() => waiting.length === 2)
    waiting[0]?.()
    expect(await early).toBe(200)
    // The older answer has arrived, and is not kept.
    const later = readAs(system, 'bob-key')
    access.beforeAnswer = () => {}
    waiting[1]?.()
    await Promise.all([late, later])
    expect(await questionsOf(system, () => readAs(system, 'bob-key'))).toBe(0)
  })
})

describe('without a lease', () => {
  it('nothing is kept', async () => {
    await using system = await start()
    system.access.leaseMs = 1
    await eventually(async () => (await questionsOf(system, () => readAs(system))) === 1)
    await eventually(() => system.access.dropped.length > 3)
    expect(await questionsOf(system, () => readAs(system))).toBe(1)
  })

  it('because the stream is frozen, nothing is kept once the lease has run out', async () => {
    await using system = await start()
    await leased(system)
    system.access.answersRenewals = false
    // The stream stays open: only the clock tells.
    await eventually(async () => (await questionsOf(system, () => readAs(system))) === 1)
    expect(await questionsOf(system, () => readAs(system))).toBe(1)
    system.access.answersRenewals = true
    await leased(system)
  })

  it('because the stream broke, it is held again', async () => {
    await using system = await start()
    await leased(system)
    system.access.leaseMs = 100
    await eventually(() => system.access.dropped.length > 3)
    const before = system.access.dropped.length
    system.access.cut()
    system.access.leaseMs = 10_000
    await eventually(() => system.access.dropped.length > before)
    await leased(system)
  })
})
