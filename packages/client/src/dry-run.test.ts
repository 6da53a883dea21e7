import { cut, json, refuse, startServer, type ScriptedServer } from '../tests/scripted-server.ts'
import { InvalidRequestError, NotFoundError, Sheaf, type Doc, type Trial } from './index.ts'

const retry = { firstDelayMs: 1, maxDelayMs: 2 }
const createDoc = ({ url }: ScriptedServer): Doc => new Sheaf({ url, retry }).doc('d')
const preview = { change: { seq: 4, operations: [] }, pendingColumns: ['People.Age'] }
const tried = (result: unknown) => json({ dryRun: true, result, ...preview })
const added = { records: [{ id: 7 }] }
const rows = [{ Name: 'Ada' }]

/** Each write of the client, the response of the API to it, and what it resolves to. */
const writes: readonly [string, (trial: Trial) => Promise<unknown>, unknown, unknown][] = [
  ['POST /tables/People/records', (trial) => trial.table('People').add(rows), added, [7]],
  [
    'PATCH /tables/People/records',
    (trial) => trial.table('People').update([{ id: 1, fields: {} }]),
    null,
    undefined,
  ],
  [
    'PUT /tables/People/records?noadd=true',
    (trial) => trial.table('People').addOrUpdate([{ require: {} }], { noAdd: true }),
    { recordIds: [[1]], addRecordIds: [], updateRecordIds: [[1]] },
    { records: [[1]], added: [], updated: [1] },
  ],
  [
    'POST /tables/People/records/delete',
    (trial) => trial.table('People').delete([1]),
    null,
    undefined,
  ],
  [
    'POST /tables/People/columns',
    (trial) => trial.table('People').columns.add([{ id: 'Age' }]),
    { columns: [{ id: 'Age' }] },
    ['Age'],
  ],
  [
    'PATCH /tables/People/columns',
    (trial) => trial.table('People').columns.update([]),
    null,
    undefined,
  ],
  [
    'PUT /tables/People/columns',
    (trial) => trial.table('People').columns.addOrUpdate([]),
    null,
    undefined,
  ],
  [
    'DELETE /tables/People/columns/Age',
    (trial) => trial.table('People').columns.delete('Age'),
    null,
    undefined,
  ],
  ['POST /tables', (trial) => trial.addTables([]), { tables: [{ id: 'New' }] }, ['New']],
  ['PATCH /tables', (trial) => trial.updateTables([]), null, undefined],
  ['POST /batch', (trial) => trial.removeTables(['People']), { operations: [] }, undefined],
  [
    'POST /batch?noparse=true',
    (trial) => trial.batch([], { noParse: true }),
    { operations: [], seq: 4 },
    { operations: [], seq: 4, etag: '' },
  ],
  [
    'POST /apply?noparse=true',
    (trial) => trial.apply([['RemoveRecord', 'People', 1]], { noParse: true }),
    { actionNum: 4, retValues: [null] },
    { actionNum: 4, retValues: [null] },
  ],
  ['POST /changes/3/revert', (trial) => trial.undo(3), { seq: 4 }, 4],
  ['POST /restore', (trial) => trial.restore(2, { tableId: 'People' }), { seq: 4 }, 4],
]

describe('a dry run', () => {
  it.each(writes)('of %s resolves as the write, with what it would change', async (...args) => {
    const [request, write, response, result] = args
    await using server = await startServer(tried(response))
    expect(await createDoc(server).dryRun(write)).toEqual({ result, ...preview })
    const [seen] = server.seen
    const [path, query] = request.replace(' ', ' /api/docs/d').split('?')
    const search = query === undefined ? 'dryRun=true' : `${query}&dryRun=true`
    expect(`${seen?.method} ${seen?.url}`).toBe(`${path}?${search}`)
  })

  it('is repeated without a key, and sends the other conditions of a write', async () => {
    await using server = await startServer(cut(), tried(added))
    const options = { ifMatch: 'W/"a.3"', idempotencyKey: 'mine', strict: true }
    await createDoc(server).dryRun((trial) => trial.table('People').add(rows, options))
    expect(server.seen).toHaveLength(2)
    for (const { headers } of server.seen) {
      expect(headers).toMatchObject({ 'if-match': 'W/"a.3"', prefer: 'handling=strict' })
      expect(headers).not.toHaveProperty('idempotency-key')
    }
  })

  it('reads the document as it is, and results of the function are its own', async () => {
    const page = { records: [{ id: 3, fields: {} }], nextCursor: null }
    await using server = await startServer(json(page), tried(null))
    const { result } = await createDoc(server).dryRun(async (trial) => {
      const people = await trial.table('People').all()
      await trial.table('People').delete(people.map(({ id }) => id))
      return `${people.length} deleted`
    })
    expect(result).toBe('1 deleted')
    expect(server.seen.map(({ url, body }) => [url, JSON.parse(body) as unknown])).toMatchObject([
      ['/api/docs/d/tables/People/records/list', {}],
      ['/api/docs/d/tables/People/records/delete?dryRun=true', [3]],
    ])
  })

  it('fails as the write', async () => {
    await using server = await startServer(refuse(404, 'TABLE_NOT_FOUND'))
    const failed = createDoc(server).dryRun((trial) => trial.table('Peple').add(rows))
    await expect(failed).rejects.toBeInstanceOf(NotFoundError)
    await expect(failed).rejects.toMatchObject({ reason: 'TABLE_NOT_FOUND' })
  })

  it.each<[string, number, (trial: Trial) => Promise<unknown>]>([
    ['no write', 0, (trial) => Promise.resolve(trial.table('People'))],
    [
      'two writes',
      1,
      async (trial) => {
        await trial.table('People').add(rows)
        await trial.table('People').add(rows)
      },
    ],
    [
      'two writes at once, whose errors it ignores',
      1,
      (trial) =>
        Promise.allSettled([trial.table('People').add(rows), trial.addTables([{ columns: [] }])]),
    ],
  ])('is refused for a function that makes %s', async (_, sent, write) => {
    await using server = await startServer(tried(added))
    const error: unknown = await createDoc(server)
      .dryRun(write)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ status: 0, reason: 'DRY_RUN_WRITES' })
    expect(server.seen).toHaveLength(sent)
  })
})
