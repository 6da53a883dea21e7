import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { readPublished } from '../support/published-changes'
import {
  add,
  createTable,
  openInstances,
  read,
  untilLeased,
  type Instances,
} from '../support/replicated-instances'
import { startStandInDirectory } from '../support/stand-in-directory'

let instances: Instances
let nats: Awaited<ReturnType<typeof connectNats>>

beforeAll(async () => {
  instances = await openInstances()
  nats = await connectNats({
    url: testEngines().natsUrl,
    name: 'test',
    log: createLogger('test'),
    signal: new AbortController().signal,
  })
})

afterAll(async () => {
  await nats.close()
  await instances[Symbol.asyncDispose]()
})

const noNats = { natsUrl: 'nats://127.0.0.1:1' }

describe('an instance that is drained', () => {
  it.each([
    ['', 'a', 0],
    [' although the answer of directory is lost', 'b', 1],
  ])(
    'leaves what it has not published to the next one%s, and has no backlog of it',
    async (_, name, lost) => {
      await using directory = await startStandInDirectory(instances.authority, `${name}1`)
      await using one = await instances.start(directory, `${name}1`, noNats)
      const docId = await createTable(one)
      const { seq } = await add(one, docId, 'first')
      await using two = await instances.start(directory, `${name}2`)
      await eventually(() => directory.reports.some((report) => report.name === two.name))
      directory.loseAnswers(lost)
      directory.drained.add(one.name)
      await eventually(() => directory.assignmentOf(docId).home === two.name)
      // Nobody asks for the document.
      await eventually(async () => (await readPublished(nats, docId)).events.at(-1)?.seq === seq)
      await eventually(() => one.service.backlog() === 0)
      expect((await read(two, docId)).text).toContain('first')
    },
  )

  it('has the next one publish what is left also when it ended before that one heard of the document', async () => {
    await using directory = await startStandInDirectory(instances.authority, 'd1')
    const before = await instances.start(directory, 'd1', noNats)
    const docId = await createTable(before)
    const { seq } = await add(before, docId, 'first')
    await using two = await instances.start(directory, 'd2')
    await eventually(() => directory.reports.some((report) => report.name === two.name))
    await before[Symbol.asyncDispose]()
    directory.assign(docId, two.name)
    await using one = await instances.start(directory, 'd1')
    // Nobody asks for the document.
    await eventually(async () => (await readPublished(nats, docId)).events.at(-1)?.seq === seq)
    await eventually(() => one.service.backlog() === 0)
    expect((await read(two, docId)).text).toContain('first')
  })

  it('goes on with its documents while no other instance can have them', async () => {
    await using directory = await startStandInDirectory(instances.authority, 'c1')
    await using one = await instances.start(directory, 'c1')
    const docId = await createTable(one)
    directory.drained.add(one.name)
    const seen = directory.reports.length
    await eventually(() => directory.reports.length > seen + 3)
    await eventually(() => add(one, docId, 'later').then(() => true))
    await untilLeased(one, docId)
    expect((await read(one, docId)).text).toContain('later')
  })
})
