import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { startEngines } from '@sheaf/engines/engines'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { ReadChangesRequest } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { ChangeBatch, type ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import { testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { createTokenAuthority } from '@sheaf/testkit/token-authority'
import { startDocumentData } from '../../src/service'
import { readPublished } from '../support/published-changes'
import { testConfig, TestClients, TestInstance } from '../support/test-instance'

describe('changes', () => {
  let instance: TestInstance
  let nats: NatsConnection
  beforeAll(async () => {
    const log = createLogger('test')
    nats = await connectNats({ url: testEngines().natsUrl, name: 'test', log })
    instance = await TestInstance.start()
  })
  afterAll(async () => {
    await instance[Symbol.asyncDispose]()
    await nats.close()
  })

  const readLog = async (docId: string, role: 'viewers' | 'editors', after = 0) => {
    const { clients } = instance
    const request = ReadChangesRequest.fromPartial({ docId, afterSeq: after })
    const events: ChangeEvent[] = []
    for await (const { change } of clients.changes.readChanges(
      request,
      await clients.as(docId, role),
    ))
      if (change) events.push(change)
    return events
  }

  /** A document whose log has one entry of each kind. */
  const writeAll = async () => {
    const { clients } = instance
    const docId = await clients.createDocument()
    await clients.add(docId, 'Table1', [{ A: 'x', B: 1 }, { A: 'y' }])
    await clients.update(docId, 'Table1', [{ id: 2, fields: { A: 'z', B: null } }])
    await clients.remove(docId, 'Table1', [1])
    return docId
  }
  const cells = (bytes: Buffer | undefined) =>
    bytes?.length ? (JSON.parse(bytes.toString()) as unknown) : undefined

  it('publishes every entry of the log, in order, as ReadChanges gives it', async () => {
    const docId = await writeAll()
    const published = await eventually(async () => {
      const { events } = await readPublished(nats, docId)
      return events.length === 4 ? events : false
    })
    expect(published.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    expect(published).toEqual(await readLog(docId, 'editors'))
  })

  it('tells what was done, with old and new values', async () => {
    const events = await readLog(await writeAll(), 'editors')
    const operations = events.map((event) => event.operations.map(({ operation }) => operation))
    expect(operations[0]).toMatchObject([
      { $case: 'schema', value: { kind: 'add_table', tableId: 'Table1', tableRef: 1 } },
    ])
    expect(operations[1]?.map((operation) => operation?.$case)).toEqual([
      'schema',
      'schema',
      'addRows',
    ])
    const columns = (i: number) => {
      const last = operations[i]?.at(-1)
      if (last?.$case === 'schema' || !last) throw new Error('no change of rows')
      return [
        last.value.rowIds,
        ...last.value.columns.map((column) => [
          column.colId,
          cells(column.oldValuesJson),
          cells(column.newValuesJson),
        ]),
      ]
    }
    expect(columns(1)).toEqual([
      [1, 2],
      ['manualSort', undefined, [1, 2]],
      ['A', undefined, ['x', 'y']],
      ['B', undefined, [1, null]],
      ['C', undefined, [null, null]],
    ])
    expect(columns(2)).toEqual([[2], ['A', ['y'], ['z']]])
    expect(columns(3)).toEqual([
      [1],
      ['manualSort', [1], undefined],
      ['A', ['x'], undefined],
      ['B', [1], undefined],
      ['C', [null], undefined],
    ])
    expect(events[1]).toMatchObject({ userId: 1, cause: 1, truncated: false })
  })

  it('reads on from a position, a bounded number, without old values below editors', async () => {
    const { clients } = instance
    const docId = await writeAll()
    expect((await readLog(docId, 'editors', 2)).map(({ seq }) => seq)).toEqual([3, 4])
    expect(await readLog(docId, 'editors', 4)).toEqual([])
    const seen = JSON.stringify(await readLog(docId, 'viewers'))
    expect(seen).not.toBe(JSON.stringify(await readLog(docId, 'editors')))
    for (const event of await readLog(docId, 'viewers'))
      for (const { operation } of event.operations)
        if (operation && operation.$case !== 'schema')
          for (const { oldValuesJson } of operation.value.columns)
            expect(oldValuesJson).toHaveLength(0)
    const call = await clients.as(docId, 'viewers')
    const read = async (request: object) => {
      const whole = ReadChangesRequest.fromPartial({ docId, ...request })
      const seqs: number[] = []
      for await (const { change } of clients.changes.readChanges(whole, call))
        seqs.push(change?.seq ?? 0)
      return seqs
    }
    expect(await read({ limit: 2 })).toEqual([1, 2])
    await expect(read({ limit: 1001 })).rejects.toMatchObject({ code: 'invalid' })
    await expect(read({ afterSeq: -1 })).rejects.toMatchObject({ code: 'invalid' })
    await expect(read({ waitMs: 25_001 })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('sends large entries without their operations', async () => {
    const { clients } = instance
    const docId = await clients.createDocument()
    await clients.add(docId, 'Table1', [{ A: 'x'.repeat(300_000) }])
    await clients.add(docId, 'Table1', [{ A: 'small' }])
    const events = await eventually(async () => {
      const published = await readPublished(nats, docId)
      return published.events.length === 3 ? published.events : false
    })
    expect(events.map(({ truncated }) => truncated)).toEqual([false, true, false])
    expect(events[1]?.operations).toEqual([])
    const log = await readLog(docId, 'editors')
    expect(log[1]).toMatchObject({ truncated: false })
    expect(log[1]?.operations).not.toEqual([])
  })

  it('puts many small writes into few messages', async () => {
    const { clients } = instance
    const docId = await clients.createDocument()
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => clients.add(docId, 'Table1', [{ A: i }])),
    )
    const published = await eventually(async () => {
      const read = await readPublished(nats, docId)
      return read.events.length === 301 ? read : false
    })
    expect(published.events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 301 }, (_, i) => i + 1),
    )
    expect(published.messages).toBeLessThan(200)
  })

  it('makes the stream again when somebody deleted it', async () => {
    await using folder = await tempDir()
    // A NATS of its own: the stream of the shared one belongs to other tests as well.
    await using engines = await startEngines({
      dataDir: folder.path,
      databaseUrl: testEngines().databaseUrl,
      path: process.env.PATH,
      log: () => {},
    })
    const { natsUrl } = engines
    await using own = await TestInstance.start({ natsUrl })
    const connection = await connectNats({ url: natsUrl, name: 'test', log: createLogger('test') })
    try {
      const docId = await own.clients.createDocument()
      const isPublished = async () => (await readPublished(connection, docId)).events.length === 1
      await eventually(isPublished)
      await (await jetstreamManager(connection)).streams.delete('SHEAF_CHANGES')
      await own.clients.add(docId, 'Table1', [{ A: 1 }])
      await eventually(isPublished)
    } finally {
      await connection.close()
    }
  })

  it('takes the dirty mark away when all is published', async () => {
    const { clients, folder } = instance
    const docId = await clients.createDocument()
    const listMarks = () => readdir(join(folder.path, 'documents', 'dirty'))
    expect(await listMarks()).toContain(docId)
    await eventually(async () => !(await listMarks()).includes(docId))
    await clients.add(docId, 'Table1', [{ A: 1 }])
    expect(await listMarks()).toContain(docId)
  })

  it('writes on while NATS is away, and publishes later what nobody opens again', async () => {
    await using folder = await tempDir()
    const { verifier, ...authority } = await createTokenAuthority()
    const overrides = { verifier, reportsHome: false }
    const config = testConfig(folder.path)
    const docIds: string[] = []
    {
      await using service = await startDocumentData(
        { ...config, natsUrl: 'nats://127.0.0.1:1' },
        overrides,
      )
      await using clients = new TestClients(service.address, { verifier, ...authority })
      for (let i = 0; i < 3; i++) {
        const docId = await clients.createDocument()
        docIds.push(docId)
        for (let n = 0; n < 5; n++) await clients.add(docId, 'Table1', [{ A: n }])
      }
      expect(service.backlog()).toBe(3)
    }
    await using service = await startDocumentData(config, overrides)
    for (const docId of docIds)
      await eventually(async () => (await readPublished(nats, docId)).events.length === 6)
    await eventually(() => service.backlog() === 0)
  })

  it('are sent in messages named by document, epoch, first and last entry', async () => {
    const docId = await writeAll()
    await eventually(async () => (await readPublished(nats, docId)).events.length === 4)
    const { ids, epochs, events } = await readPublished(nats, docId)
    const [epoch = ''] = epochs
    expect(ids.map(({ id }) => id)).toEqual(
      ids.map(({ seqs }) => `${docId}:${epoch}:${seqs[0]}-${seqs.at(-1)}`),
    )
    // A longer message that begins with the same entry is another one: its tail is not lost.
    const longer = await jetstream(nats).publish(
      `sheaf.changes.${docId}`,
      ChangeBatch.encode({ changes: events, epoch }).finish(),
      { msgID: `${docId}:${epoch}:1-9` },
    )
    expect(longer.duplicate).toBe(false)
  })

  it('is recognised by NATS when a batch is sent again', async () => {
    const docId = await writeAll()
    await eventually(async () => (await readPublished(nats, docId)).events.length === 4)
    const { events, epochs } = await readPublished(nats, docId)
    const [epoch = ''] = epochs
    const again = await jetstream(nats).publish(
      `sheaf.changes.${docId}`,
      ChangeBatch.encode({ changes: events.slice(0, 1), epoch }).finish(),
      { msgID: `${docId}:${epoch}:1-1` },
    )
    expect(again.duplicate).toBe(true)
  })
})
