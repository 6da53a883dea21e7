import { eventually } from '@sheaf/testkit/eventually'
import {
  add,
  createTable,
  openInstances,
  read,
  reasonOf,
  type Instances,
} from '../support/replicated-instances'
import { startStandInDirectory } from '../support/stand-in-directory'

let instances: Instances

beforeAll(async () => {
  instances = await openInstances()
})
afterAll(() => instances[Symbol.asyncDispose]())

describe('an instance that has more than others', () => {
  it.each([
    ['a number of documents, those with the fewest calls', 'a', { documents: 2 }, [1, 2]],
    ['documents that have a share of its calls', 'b', { loadShare: 0.5 }, [1, 2]],
  ])('hands over %s', async (_, name, surplus, expected) => {
    await using directory = await startStandInDirectory(instances.authority, `${name}1`)
    await using one = await instances.start(directory, `${name}1`)
    const docIds = [await createTable(one), await createTable(one), await createTable(one)]
    await using two = await instances.start(directory, `${name}2`)
    await eventually(() => directory.reports.some((report) => report.name === two.name))
    const [busy = ''] = docIds
    const moved = () =>
      docIds.flatMap((docId, index) =>
        directory.assignmentOf(docId).home === two.name ? index : [],
      )
    await eventually(async () => {
      // In turn, so that a second of counted calls has the same share of each, however slow the machine is.
      for (const docId of docIds) {
        for (let count = 0; count < 4; count++) await add(one, busy, 'much used')
        // Those that were handed over are refused.
        await reasonOf(read(one, docId))
      }
      if (directory.surpluses.length === 0 && moved().length === 0)
        directory.surpluses.push({ to: two.name, ...surplus })
      return moved().length > 0
    })
    await eventually(() => moved().length === expected.length)
    expect(moved()).toEqual(expected)
    for (const index of expected) expect((await read(two, docIds[index] ?? '')).text).toContain('[')
    expect((await read(one, busy)).text).toContain('much used')
  })
})
