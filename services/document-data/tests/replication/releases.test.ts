import { eventually } from '@sheaf/testkit/eventually'
import { newestVersion as PRESENT } from '../../src/store/sqlite/migrations/index'
import { openReleases, type Releases, type ReleaseProcess } from '../support/release-processes'
import { add, createTable, read, reasonOf } from '../support/replicated-instances'
import { startStandInDirectory } from '../support/stand-in-directory'
import { buildWorkers } from '../support/test-store'

const NEXT = PRESENT + 1

let releases: Releases
beforeAll(async () => {
  buildWorkers()
  releases = await openReleases()
})
afterAll(() => releases[Symbol.asyncDispose]())

/** What an instance serves of a document, once it has its lease. */
async function seen(instance: ReleaseProcess, docId: string): Promise<string> {
  await eventually(async () => (await reasonOf(read(instance, docId))) === 'done')
  return (await read(instance, docId)).text
}

it('documents are migrated when every instance is of the next release, which then alone serves them', async () => {
  await using directory = await startStandInDirectory(releases.authority, 'one')
  const one = await releases.start(directory, 'one', 'present')
  const two = await releases.start(directory, 'two', 'present')
  const next = await releases.start(directory, 'next', 'next')
  // The next release uses a document as it is.
  const shared = await createTable(one)
  await add(one, shared, 'by the present release')
  directory.assign(shared, 'next')
  expect(await seen(next, shared)).toContain('by the present release')
  await add(next, shared, 'by the next release')
  expect(await releases.headOf(shared)).toMatchObject({ format: PRESENT })
  directory.assign(shared, 'two')
  expect(await seen(two, shared)).toContain('by the next release')
  const docId = await createTable(one)
  await add(one, docId, 'before the migration')
  const before = await seen(one, docId)

  // The others are gone: it is migrated by a record when it is opened.
  const { lsn = 0 } = (await releases.headOf(docId)) ?? {}
  for (const instance of [one, two]) {
    await instance[Symbol.asyncDispose]()
    directory.ended.add(instance.name)
  }
  // An instance migrates to what its latest report was answered: the second one from here was, if a first is on its way.
  const reports = () => directory.reports.filter(({ name }) => name === next.name).length
  const known = reports()
  await eventually(() => reports() >= known + 2)
  expect(await seen(next, docId)).toBe(before)
  const head = await releases.headOf(docId)
  expect(head?.format).toBe(NEXT)
  expect(head?.lsn).toBeGreaterThan(lsn)
  await add(next, docId, 'after the migration')

  // An instance of the present release that comes back does not get it, and refuses it if it does.
  directory.ended.delete('one')
  await using back = await releases.start(directory, 'one', 'present')
  directory.assign(docId, 'one')
  await eventually(async () => (await reasonOf(read(back, docId))) === 'DOCUMENT_MOVED')
  expect(directory.assignmentOf(docId).home).toBe('next')
  directory.forgetFormats()
  directory.assign(docId, 'one')
  expect(await reasonOf(read(back, docId))).toBe('DOCUMENT_FORMAT_UNREADABLE')
  expect(directory.assignmentOf(docId).home).toBe('next')
  const after = await seen(next, docId)
  expect(after).toContain('after the migration')

  // A disk that is lost is made again from the log, with the migration.
  await next[Symbol.asyncDispose]()
  await releases.loseDisk('next')
  await using again = await releases.start(directory, 'next', 'next')
  expect(await seen(again, docId)).toBe(after)
  expect(await releases.headOf(docId)).toMatchObject({ format: NEXT })
})
