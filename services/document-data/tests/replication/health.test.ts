import { openChannel } from '@sheaf/kit/grpc/client'
import { eventually } from '@sheaf/testkit/eventually'
import { openInstances, type Instances } from '../support/replicated-instances'
import { startStandInDirectory } from '../support/stand-in-directory'
import { TestInstance } from '../support/test-instance'

let instances: Instances

beforeAll(async () => {
  instances = await openInstances()
})

afterAll(() => instances[Symbol.asyncDispose]())

describe('the health of an instance', () => {
  it('says that its documents are served while it has its lease, and of the process that it works', async () => {
    await using directory = await startStandInDirectory(instances.authority, 'h1')
    directory.ended.add('h1')
    await using one = await instances.start(directory, 'h1')
    await using channel = openChannel({ address: one.service.address })
    await eventually(() => directory.reports.length > 0)
    expect(await channel.checkHealth('documents')).toBe(false)
    expect(await channel.checkHealth()).toBe(true)
    directory.ended.delete('h1')
    await eventually(() => channel.checkHealth('documents'))
    directory.ended.add('h1')
    await eventually(async () => !(await channel.checkHealth('documents')))
    expect(await channel.checkHealth()).toBe(true)
    directory.ended.delete('h1')
    await eventually(() => channel.checkHealth('documents'))
  })

  it('says that documents without replication are served from the start', async () => {
    await using instance = await TestInstance.start()
    await using channel = openChannel({ address: instance.service.address })
    expect(await channel.checkHealth('documents')).toBe(true)
  })
})
