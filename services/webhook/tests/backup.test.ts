import { randomUUID } from 'node:crypto'
import type { RestoreTablesRequest } from '@sheaf/protos/sheaf/webhook/v1/backup'
import { people, startTestWebhooks, type TestWebhooks } from './test-webhooks'

describe('a backup of webhooks', () => {
  let test: TestWebhooks
  const kept = randomUUID()
  const deleted = randomUUID()
  let webhookId: string
  let lines: Buffer[]
  beforeAll(async () => {
    test = await startTestWebhooks()
    test.document.tables = [people]
    webhookId = await test.createOne(kept, { memo: 'two\u2028lines' })
    await test.createOne(deleted)
    lines = []
    for await (const { line } of test.backup.readTables({}, await asSystem())) lines.push(line)
    await test.set(webhookId, { waiting_count: 3, stopped_seq: 1, status: 'error' })
  })
  afterAll(() => test[Symbol.asyncDispose]())

  const asSystem = () => test.as('', { userId: 0, system: true })
  const restore = async (given: readonly Buffer[]) => {
    async function* parts(): AsyncGenerator<RestoreTablesRequest> {
      for (const value of given) yield { part: { $case: 'line', value } }
      yield { part: { $case: 'logEnd', value: { docId: kept, seq: 9 } } }
    }
    return test.backup.restoreTables(parts(), await asSystem())
  }

  it('that is cut off changes nothing', async () => {
    await expect(restore(lines.slice(0, -1))).rejects.toMatchObject({ reason: 'BAD_BACKUP' })
    expect((await test.read(webhookId)).waiting_count).toBe(3)
    expect(await test.list(deleted)).toHaveLength(1)
  })

  it('brings them back behind the ends of their logs, without those of documents that are gone', async () => {
    const [before] = await test.list(kept)
    await restore(lines)
    const [after] = await test.list(kept)
    expect(after?.fields).toEqual(before?.fields)
    expect(await test.read(webhookId)).toMatchObject({
      after_seq: 9,
      waiting_count: 0,
      stopped_seq: null,
      status: 'idle',
    })
    expect(await test.readHandled(deleted)).toBeUndefined()
    expect(await test.list(deleted)).toEqual([])
  })

  it('has those stay halted whose receiver wanted no more, and lets go on those for which too much waited', async () => {
    const wanted = {
      stopped_reason: 'the receiver returned HTTP status 410 (gone)',
      status: 'error',
    } as const
    const read = async () => {
      const given: Buffer[] = []
      for await (const { line } of test.backup.readTables({}, await asSystem())) given.push(line)
      return given
    }
    await test.set(webhookId, { ...wanted, halted_at: new Date(), due_at: new Date() })
    await restore(await read())
    const halted = { ...wanted, due_at: null, halted_at: expect.any(Date) as Date }
    expect(await test.read(webhookId)).toMatchObject(halted)

    const full = { stopped_reason: 'too much waits', status: 'error', halted_at: null } as const
    await test.set(webhookId, { ...full, stopped_seq: 7 })
    await restore(await read())
    const goesOn = { stopped_reason: null, stopped_seq: null, status: 'idle' }
    expect(await test.read(webhookId)).toMatchObject(goesOn)
  })

  it('is for Sheaf alone', async () => {
    const call = await test.as(kept)
    const read = async () => {
      for await (const { line } of test.backup.readTables({}, call)) lines.push(line)
    }
    await expect(read()).rejects.toMatchObject({ code: 'forbidden' })
  })
})
