import { add, useAgents } from '../support/agents'
import { addRecords, addTable } from '../support/system'

const agents = useAgents()
const { system, connect, call, newKey, boats } = agents

it('keeps answers small, whatever the cells hold, and leads through the rest', async () => {
  const { rest } = system.alice
  const long = 'x'.repeat(10_000)
  await addTable(rest, agents.doc, 'Logs', { Text: 'Text' })
  const logs = `${agents.doc}/tables/Logs`
  await addRecords(rest, logs, Array(10).fill({ Text: long }))
  await addTable(
    rest,
    agents.doc,
    'Wide',
    Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`Column_${i}`, 'Numeric'])),
  )
  const client = await connect()

  for (const [name, args] of [
    ['read_rows', { tableId: 'Logs' }],
    ['query', { sql: 'select id, Text from Logs order by id' }],
  ] as const) {
    const ids: unknown[] = []
    let cursor: unknown
    do {
      const { json, bytes } = await call(client, name, { docId: agents.docId, ...args, cursor })
      expect(bytes).toBeLessThan(34_000)
      ids.push(...(json.rows as { id: number }[]).map(({ id }) => id))
      cursor = json.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect([name, ids]).toEqual([name, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]])
  }
  await addRecords(rest, logs, [{ Text: 'y'.repeat(100_000) }])
  const tooLarge = { isError: true, json: { details: { reason: 'ANSWER_TOO_LARGE' } } }
  expect(
    await call(client, 'read_rows', { docId: agents.docId, tableId: 'Logs', filter: { id: [11] } }),
  ).toMatchObject(tooLarge)
  expect(
    await call(client, 'query', {
      docId: agents.docId,
      sql: 'select Text from Logs where id = 11',
    }),
  ).toMatchObject(tooLarge)

  for (const table of [undefined, 'Wide']) {
    const columns: string[] = []
    let cursor: unknown
    do {
      const { json, bytes } = await call(client, 'describe_document', {
        docId: agents.docId,
        tableId: table,
        cursor,
      })
      expect(bytes).toBeLessThanOrEqual(8_192)
      const listed = (json.tables ?? [{ id: 'Wide', columns: json.columns }]) as {
        id: string
        columns: object
      }[]
      for (const { id, columns: found } of listed)
        if (id === 'Wide')
          columns.push(
            ...(Array.isArray(found)
              ? found.map(({ id }: { id: string }) => id)
              : Object.keys(found)),
          )
      cursor = json.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(columns).toEqual(Array.from({ length: 600 }, (_, i) => `Column_${i}`))
  }

  const shown = await call(client, 'list_history', { docId: agents.docId })
  expect(shown.bytes).toBeLessThan(34_000)
  expect(shown.json.changes).toContainEqual(
    expect.objectContaining({ truncated: true, operations: [] }),
  )
  const many = Array.from({ length: 20_000 }, (_, i) => `b${i}`)
  const tried = await call(client, 'write', {
    docId: agents.docId,
    operations: add(...many),
    dryRun: true,
  })
  expect(tried).toMatchObject({ isError: false, json: { change: { truncated: true } } })
  const written = await call(client, 'write', { docId: agents.docId, operations: add(...many) })
  expect(written.json).toMatchObject({ counts: [{ op: 'addRecords', added: 20_000 }] })
  expect(Math.max(tried.bytes, written.bytes)).toBeLessThan(34_000)
})

it('lists differences in pages of as many rows as an answer has room for', async () => {
  const { rest } = system.alice
  await addTable(rest, agents.doc, 'Logs', { Text: 'Text' })
  const logs = `${agents.doc}/tables/Logs`
  const client = await connect()
  const { docId } = agents
  const { json: before } = await call(client, 'list_history', { docId, limit: 1 })
  const from = (before.changes as { seq: number }[])[0]?.seq
  await addRecords(rest, logs, Array(10).fill({ Text: 'x'.repeat(10_000) }))
  const ids: number[] = []
  let cursor: unknown
  do {
    const args = { docId, from, summary: false, cursor }
    const { json, bytes } = await call(client, 'compare_moments', args)
    expect(bytes).toBeLessThan(34_000)
    for (const { rowIds } of json.operations as { rowIds: number[] }[]) ids.push(...rowIds)
    cursor = json.nextCursor ?? undefined
  } while (cursor !== undefined)
  expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  await addRecords(rest, logs, [{ Text: 'y'.repeat(100_000) }])
  const last = await call(client, 'compare_moments', {
    docId,
    from: Number(from) + 1,
    summary: false,
  })
  expect(last).toMatchObject({ isError: true, json: { details: { reason: 'ANSWER_TOO_LARGE' } } })
})

it('counts the differences of as many tables as an answer has room for', async () => {
  const client = await connect()
  const tables = Array.from({ length: 200 }, (_, i) => ({
    id: `T${'x'.repeat(80)}${i}`,
    columns: [{ id: 'A' }],
  }))
  const { docId } = agents
  const operations = [{ op: 'addTables', tables }]
  const { json } = await call(client, 'write', { docId, operations })
  const from = Number(json.seq) - 1
  const counted = await call(client, 'compare_moments', { docId, from })
  expect(counted).toMatchObject({ isError: false, json: { tablesInAll: 200 } })
  expect(counted.bytes).toBeLessThan(34_000)
  expect((counted.json.tables as object[]).length).toBeGreaterThan(100)
})

it('ends a loop of writes at the cap of its key, which can do nothing else', async () => {
  const client = await connect(
    await newKey({
      caps: { rowsPerHour: 5, rowsPerCall: 2, tables: ['Boats'], noStructure: true },
    }),
  )
  const outcomes: string[] = []
  for (let i = 0; i < 10; i++) {
    const { isError, json } = await call(client, 'write', {
      docId: agents.docId,
      operations: add(`loop ${i}`),
    })
    outcomes.push(isError ? String(json.details?.reason) : 'written')
  }
  expect(outcomes).toEqual([...Array(5).fill('written'), ...Array(5).fill('KEY_ROWS_PER_HOUR')])
  expect(await boats()).toHaveLength(8)
  const structure = [{ op: 'removeTables', tables: [{ id: 'Boats' }] }]
  expect(await call(client, 'write', { docId: agents.docId, operations: structure })).toMatchObject(
    {
      isError: true,
      json: { details: { reason: 'KEY_CAP', cap: 'noStructure' } },
    },
  )
})

it('decides access per call: readers cannot write, strangers see nothing', async () => {
  const reader = await connect(await newKey({ readOnly: true }))
  expect((await call(reader, 'read_rows', { docId: agents.docId, tableId: 'Boats' })).isError).toBe(
    false,
  )
  for (const args of [{ operations: add('X') }, { operations: add('X'), dryRun: true }])
    expect(await call(reader, 'write', { docId: agents.docId, ...args })).toMatchObject({
      isError: true,
      json: { details: { reason: 'KEY_SCOPE' } },
    })
  const made = await system.dan.rest.post<{ key: string }>('/api/profile/apikeys', {
    body: { name: 'agent' },
  })
  const stranger = await connect(made.body.key)
  for (const [name, args] of [
    ['describe_document', {}],
    ['query', { sql: 'select 1' }],
    ['write', { operations: add('X') }],
    ['list_history', {}],
    ['read_attachment', { attachmentId: 1 }],
  ] as const)
    expect(await call(stranger, name, { docId: agents.docId, ...args })).toMatchObject({
      isError: true,
      json: { details: { reason: 'ACCESS_DENIED' } },
    })
  const found = await call(stranger, 'find_documents')
  expect(JSON.stringify(found.json)).not.toContain(agents.docId)
  expect(await boats()).toHaveLength(3)
})
