import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf, type ServiceName } from '@sheaf/testkit/sheaf'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { GatewayPool, PooledGateway, readText } from './support/gateway-pool'
import { SteadyLoad } from './support/steady-load'

/** Long enough for a load balancer to notice, also on a busy machine. */
const LEAVE_SECONDS = 10
/** A table too large for the buffers on the way, so that its reader determines how long it takes. */
const LONG_ROWS = 5_000
const LONG_TEXT = 'long '.repeat(800)

/** Longer than a request takes that does not wait for document-data to start again. */
const WAITING_MS = 1_000

/** Generous limits, so that a machine busy with other tests does not cause rejected requests. */
const env = { SHEAF_LOOP_DELAY_MS: '60000', SHEAF_SQL_TIMEOUT_MS: '60000' }

/** Creates a document with a small table and one that takes long to read. */
async function makeDocument(rest: Rest): Promise<string> {
  const doc = await newDocument(rest)
  await addTable(rest, doc, 'Words', { Word: 'Text' })
  await addTable(rest, doc, 'Long', { Word: 'Text' })
  const rows = Array.from({ length: LONG_ROWS }, () => ({ Word: LONG_TEXT }))
  await addRecords(rest, `${doc}/tables/Long`, rows)
  return doc
}

/**
 * Starts to read the long table and pauses in the middle; the returned function reads to the end and counts
 * the rows.
 */
async function holdAnswer(gateway: PooledGateway, doc: string): Promise<() => Promise<number>> {
  const response = await gateway.open({ method: 'GET', path: `${doc}/tables/Long/records` })
  expect(response.statusCode).toBe(200)
  return async () => {
    const { records } = JSON.parse(await readText(response)) as { records: unknown[] }
    return records.length
  }
}

/** Restarts a service under load, while `meanwhile` runs. */
async function restart(
  { sheaf, load }: World,
  name: Exclude<ServiceName, 'gateway'>,
  meanwhile?: () => Promise<void>,
): Promise<void> {
  const pid = await sheaf.kill(name, 'SIGTERM')
  await meanwhile?.()
  await sheaf.restarted(name, pid)
  expect(sheaf.output()).toContain(`${name} exited unexpectedly (exit code 0)`)
  await goOn(load)
}

/** The same, with a reply in progress, which keeps the old process alive until it is read. */
async function restartDocumentData(world: World): Promise<void> {
  const { load, pool, doc } = world
  const finish = await holdAnswer(pool.choose(), doc)
  await restart(world, 'document-data', async () => {
    // The old process accepts no further calls.
    await eventually(() => load.waitingMs > WAITING_MS)
    expect(await finish()).toBe(LONG_ROWS)
  })
}

/**
 * Replaces a gateway with a reply in progress, like Kubernetes: the new gateway starts before the old one
 * stops.
 */
async function replace(
  { load, pool, doc }: World,
  old: PooledGateway,
  replacement: PooledGateway,
): Promise<void> {
  const finish = await holdAnswer(old, doc)
  old.terminate()
  const status = { method: 'GET', path: '/status?ready=1' } as const
  await eventually(async () => {
    const { status: code, headers, text } = await old.send(status)
    return code === 503 && headers['retry-after'] === '2' && text.includes('not ready: gateway')
  })
  // Clients that have not noticed yet are still served.
  const answered = old.answered
  await eventually(() => old.answered > answered + 5)
  pool.replace(old, replacement)
  // The old gateway no longer listens, but completes the reply that it has started.
  await eventually(() =>
    old
      .send(status)
      .then(() => false)
      .catch(() => true),
  )
  expect(await finish()).toBe(LONG_ROWS)
  expect(await old.ended).toBe(0)
  await goOn(load)
  expect(replacement.answered).toBeGreaterThan(0)
}

/** Every kind of client gets replies again. */
async function goOn(load: SteadyLoad): Promise<void> {
  const { progress } = load
  await eventually(() => load.progress > progress + 2)
}

interface World {
  readonly sheaf: RunningSheaf
  readonly pool: GatewayPool
  readonly load: SteadyLoad
  readonly doc: string
}

describe('a rolling restart under load', () => {
  it('lets no request fail but for a 503 with Retry-After, and loses and repeats no write', async () => {
    await using sheaf = await startSheaf({ env })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const doc = await makeDocument(rest)
    const start = () => PooledGateway.start(sheaf, LEAVE_SECONDS)
    const started = await Promise.all([start(), start(), start(), start()])
    await using first = started[0]
    await using second = started[1]
    await using newFirst = started[2]
    await using newSecond = started[3]
    const pool = new GatewayPool([first, second])
    await using load = new SteadyLoad(pool, doc)
    const world = { sheaf, load, pool, doc }
    await goOn(load)
    await restart(world, 'directory')
    await restartDocumentData(world)
    await restart(world, 'webhook')
    await replace(world, first, newFirst)
    await replace(world, second, newSecond)
    await load.stop()
    expect(load.faults).toEqual([])
    const rows = await readRecords(rest, `${doc}/tables/Words`)
    expect(rows.map(({ fields }) => fields.Word).sort()).toEqual([...load.written].sort())
    const { latest } = (await rest.get<{ latest: number }>(`${doc}/changes?limit=1`)).body
    await eventually(() => load.followedSeq === latest)
    expect(load.faults).toEqual([])
  })
})
