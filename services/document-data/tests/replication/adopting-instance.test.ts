import { eventually } from '@sheaf/testkit/eventually'
import {
  add,
  createTable,
  openInstances,
  read,
  reasonOf,
  untilLeased,
  type Instance,
  type Instances,
} from '../support/replicated-instances'
import { startStandInDirectory, type StandInDirectory } from '../support/stand-in-directory'

let instances: Instances

beforeAll(async () => {
  instances = await openInstances()
})
afterAll(() => instances[Symbol.asyncDispose]())

/** Documents of an instance without replication, which has ended; directory has pinned them to it. */
async function leaveLocal(directory: StandInDirectory, name: string): Promise<string[]> {
  await using one = await instances.startLocal(directory, name)
  const docIds = [await createTable(one), await createTable(one)]
  for (const docId of docIds) {
    await add(one, docId, 'local')
    directory.pinned.add(docId)
  }
  return docIds
}

async function expectRows(instance: Instance, docId: string, ...values: string[]): Promise<void> {
  const { text } = await read(instance, docId)
  const { records } = JSON.parse(text) as { records: { fields: { A: string } }[] }
  expect(records.map(({ fields }) => fields.A)).toEqual(values)
}

/** Adds a row as a gateway does: a call that is refused while the document is adopted is repeated. */
const addRepeated = (instance: Instance, docId: string, value: string): Promise<unknown> =>
  eventually(async () => (await reasonOf(add(instance, docId, value))) === 'done')

describe('an instance that starts with replication for the first time', () => {
  it('serves its documents at once, and adopts one after another', async () => {
    await using directory = await startStandInDirectory(instances.authority, 'a')
    const docIds = await leaveLocal(directory, 'a')
    await using one = await instances.start(directory, 'a')
    const [docId = '', other = ''] = docIds
    await untilLeased(one, docId)
    await addRepeated(one, docId, 'at once')
    await eventually(() => directory.pinned.size === 0)
    await addRepeated(one, docId, 'adopted')
    await using two = await instances.start(directory, 'b')
    await eventually(() => directory.reports.some((report) => report.name === two.name))
    directory.ended.add('a')
    await eventually(() =>
      read(two, docId).then(
        () => true,
        () => false,
      ),
    )
    await expectRows(two, docId, 'local', 'at once', 'adopted')
    await eventually(() =>
      read(two, other).then(
        () => true,
        () => false,
      ),
    )
    await expectRows(two, other, 'local')
  })

  it('is not waited for when it ends before directory knows what it has adopted', async () => {
    await using directory = await startStandInDirectory(instances.authority, 'e')
    const [docId = ''] = await leaveLocal(directory, 'e')
    {
      await using one = await instances.start(directory, 'e')
      await untilLeased(one, docId)
      await eventually(() => directory.pinned.size === 0)
    }
    directory.pinned.add(docId)
    directory.ended.add('e')
    await using two = await instances.start(directory, 'f')
    await eventually(() =>
      read(two, docId).then(
        () => true,
        () => false,
      ),
    )
    await expectRows(two, docId, 'local')
  })

  it('does not adopt a document that was released, also after it was started again, until it is told to', async () => {
    await using directory = await startStandInDirectory(instances.authority, 'g')
    const [docId = '', other = ''] = await leaveLocal(directory, 'g')
    const released = async (one: Instance) => {
      await untilLeased(one, docId)
      await addRepeated(one, docId, 'more')
      await eventually(() => !directory.pinned.has(other))
    }
    {
      await using one = await instances.start(directory, 'g')
      await untilLeased(one, docId)
      await eventually(() => directory.pinned.size === 0)
      await one.clients.instance.releaseDocument({ docId }, await one.clients.asSystem())
      expect([...directory.local]).toEqual([docId])
      await released(one)
    }
    {
      await using alone = await instances.startLocal(directory, 'g')
      await add(alone, docId, 'alone')
      expect(await reasonOf(read(alone, other))).toBe('DOCUMENT_REPLICATED')
      await expect(
        alone.clients.instance.releaseDocument({ docId }, await alone.clients.asSystem()),
      ).rejects.toMatchObject({ reason: 'NOT_REPLICATED' })
    }
    await using one = await instances.start(directory, 'g')
    // Adopted after the look in which the other one is skipped.
    directory.pinned.add(other)
    await released(one)
    expect([...directory.local]).toEqual([docId])
    await expectRows(one, docId, 'local', 'more', 'alone', 'more')
    await one.clients.instance.adoptDocument({ docId }, await one.clients.asSystem())
    expect([...directory.pinned]).toEqual([])
    await expectRows(one, docId, 'local', 'more', 'alone', 'more')
  })

  it('gets a document back that directory has assigned to another one before it was pinned', async () => {
    await using directory = await startStandInDirectory(instances.authority, 'h')
    await leaveLocal(directory, 'h')
    await using one = await instances.start(directory, 'h')
    await using two = await instances.start(directory, 'i')
    const [docId = ''] = directory.pinned
    await untilLeased(one, docId)
    await eventually(() => directory.pinned.size === 0)
    await one.clients.instance.releaseDocument({ docId }, await one.clients.asSystem())
    directory.pinned.delete(docId)
    directory.local.delete(docId)
    directory.assign(docId, 'i')
    await untilLeased(two, docId)
    expect(await reasonOf(read(two, docId))).toBe('DOCUMENT_MOVED')
    expect(directory.assignmentOf(docId).home).toBe('h')
    await addRepeated(one, docId, 'after')
    await expectRows(one, docId, 'local', 'after')
  })

  it('adopts a document before it is moved, and all before it is drained', async () => {
    await using directory = await startStandInDirectory(instances.authority, 'c')
    const docIds = await leaveLocal(directory, 'c')
    await using one = await instances.start(directory, 'c')
    await using two = await instances.start(directory, 'd')
    const [moved = '', drained = ''] = docIds
    await untilLeased(one, moved)
    await eventually(() => directory.reports.some((report) => report.name === two.name))
    await one.clients.instance.moveDocument({ docId: moved, to: 'd' }, await one.clients.asSystem())
    expect(directory.assignmentOf(moved).home).toBe('d')
    await expectRows(two, moved, 'local')
    directory.drained.add('c')
    await eventually(() => directory.assignmentOf(drained).home === 'd')
    await eventually(() =>
      read(two, drained).then(
        () => true,
        () => false,
      ),
    )
    await expectRows(two, drained, 'local')
  })
})
