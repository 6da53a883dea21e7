import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type ServiceName, type SheafOptions } from '@sheaf/testkit/sheaf'
import { addTable, useOwnSystem } from '../support/system'

interface Deleted {
  readonly documents: readonly {
    readonly uuid: string
    readonly name: string
    readonly deletedBy: { readonly email: string } | null
  }[]
  readonly nextCursor: string | null
}

async function createWorkspace(rest: Rest, orgId: number | string = 'current'): Promise<number> {
  return (await rest.post<number>(`/api/orgs/${orgId}/workspaces`, { body: { name: 'W' } })).body
}

/** Makes a document with a table `T` and one row. */
async function createDocument(rest: Rest, workspaceId: number, name: string): Promise<string> {
  const path = `/api/workspaces/${workspaceId}/docs`
  const docId = (await rest.post<string>(path, { body: { name } })).body
  await addTable(rest, `/api/docs/${docId}`, 'T', { A: 'Text' })
  await addRow(rest, docId, 'first')
  return docId
}

function addRow(rest: Rest, docId: string, value: string): Promise<unknown> {
  const body = { records: [{ fields: { A: value } }] }
  return rest.post(`/api/docs/${docId}/tables/T/records`, { body })
}

async function readValues(rest: Rest, docId: string): Promise<string[]> {
  const path = `/api/docs/${docId}/tables/T/records`
  const { records } = (await rest.get<{ records: { fields: { A: string } }[] }>(path)).body
  return records.map(({ fields }) => fields.A)
}

function undelete(rest: Rest, workspaceId: number, body: object) {
  return rest.post<string>(`/api/workspaces/${workspaceId}/undelete`, { body })
}

/** The instance that makes a document and has begun to write this file of it, which is not visible yet. */
async function findMaking(
  folders: Readonly<Record<string, string>>,
  file: string,
): Promise<ServiceName | false> {
  for (const [name, folder] of Object.entries(folders)) {
    const unfinished = join(folder, 'documents', 'unfinished')
    for (const made of await readdir(unfinished).catch(() => []))
      if ((await readdir(join(unfinished, made)).catch((): string[] => [])).includes(file))
        return name as ServiceName
  }
  return false
}

const modes: readonly [string, SheafOptions][] = [
  ['without replication', {}],
  ['with replication', { env: { SHEAF_REPLICATED: 'true', SHEAF_INSTANCES: '2' } }],
]

describe.each(modes)('a document that was deleted for good, %s', (_, options) => {
  const system = useOwnSystem(options)

  it('comes back with its rows, its history and its attachments, and without webhooks and roles', async () => {
    const { rest } = system.alice
    const workspaceId = await createWorkspace(rest)
    const docId = await createDocument(rest, workspaceId, 'Budget')
    const doc = `/api/docs/${docId}`
    const form = new FormData()
    form.set('upload', new Blob(['the content']), 'note.txt')
    const [fileId] = (await rest.post<number[]>(`${doc}/attachments`, { body: form })).body
    const delta = { users: { [system.dan.email]: 'editors' } }
    await rest.patch(`${doc}/access`, { body: { delta } })
    const hook = { url: 'https://hooks.example/', eventTypes: ['add'], tableId: 'T' }
    await rest.post(`${doc}/webhooks`, {
      body: { webhooks: [{ fields: { ...hook, enabled: false } }] },
    })
    const body = { workspaceId, documentName: 'Copy' }
    const copy = (await rest.post<string>(`${doc}/copy`, { body })).body
    await addRow(rest, docId, 'second')
    const history = (await rest.get<{ changes: unknown[] }>(`${doc}/history`)).body.changes
    await rest.delete(doc)

    // At once, whether or not the instance has learned of the deletion.
    const made = await undelete(rest, workspaceId, { document: docId })
    expect(made.status).toBe(200)
    const again = `/api/docs/${made.body}`
    expect(made.body).not.toBe(docId)
    expect(await readValues(rest, made.body)).toEqual(['first', 'second'])
    expect((await rest.get<{ name: string }>(again)).body.name).toBe('Budget')
    expect((await rest.get<string>(`${again}/attachments/${fileId}/download`)).text).toBe(
      'the content',
    )
    expect((await rest.get<{ changes: unknown[] }>(`${again}/history`)).body.changes).toEqual(
      history,
    )
    expect((await rest.get<{ webhooks: unknown[] }>(`${again}/webhooks`)).body.webhooks).toEqual([])
    expect((await system.dan.rest.get(again)).status).toBe(403)
    const compared = await rest.get<{ summary: string }>(`${again}/compare/${copy}`)
    expect(compared.body.summary).toBe('left')
    // The deleted document itself stays deleted.
    expect((await rest.get(doc)).status).toBe(404)
  })

  it('comes back as it was at a former moment, also by the command of the operator', async () => {
    const { rest } = system.alice
    const workspaceId = await createWorkspace(rest)
    const docId = await createDocument(rest, workspaceId, 'Diary')
    const { changes } = (
      await rest.get<{ changes: { seq: number; time: string }[] }>(`/api/docs/${docId}/history`)
    ).body
    const seq = changes[0]?.seq ?? 0
    await addRow(rest, docId, 'second')
    await rest.post(`/api/docs/${docId}/remove?permanent=true`)
    const made = await undelete(rest, workspaceId, {
      document: docId.toUpperCase(),
      asOf: seq,
      name: 'As it was',
    })
    expect(await readValues(rest, made.body)).toEqual(['first'])
    await addRow(rest, made.body, 'another')

    expect(await system.sheaf.operate('documents', 'deleted')).toContain(docId)
    const order = ['documents', 'undelete', docId, '--workspace', String(workspaceId)]
    const whole = (await system.sheaf.operate(...order)).trim()
    expect(await readValues(rest, whole)).toEqual(['first', 'second'])
    order[2] = docId.toUpperCase()
    const former = (await system.sheaf.operate(...order, '--as-of', String(seq))).trim()
    expect(await readValues(rest, former)).toEqual(['first'])

    for (const [body, reason] of [
      [{ document: docId, asOf: 99 }, 'MOMENT_NOT_FOUND'],
      [{ document: docId, asOf: 'yesterday' }, 'INVALID_PAYLOAD'],
      [{ document: made.body }, 'DELETED_DOCUMENT_NOT_FOUND'],
    ] as const) {
      const refused = await undelete(rest, workspaceId, body)
      expect(refused.body).toMatchObject({ details: { reason } })
    }
  })

  it('is listed for the owners of its site alone', async () => {
    const { rest } = system.alice
    const org = (await rest.post<number>('/api/orgs', { body: { name: 'Team' } })).body
    const delta = { users: { [system.dan.email]: 'editors' } }
    await rest.patch(`/api/orgs/${org}/access`, { body: { delta } })
    const workspaceId = await createWorkspace(rest, org)
    const docIds = [
      await createDocument(rest, workspaceId, 'One'),
      await createDocument(rest, workspaceId, 'Two'),
    ]
    for (const docId of docIds) await rest.delete(`/api/docs/${docId}`)
    const path = `/api/orgs/${org}/deleted`
    const first = (await rest.get<Deleted>(`${path}?limit=1`)).body
    const rest1 = (await rest.get<Deleted>(`${path}?limit=1&cursor=${first.nextCursor}`)).body
    const listed = [...first.documents, ...rest1.documents]
    expect(listed.map(({ name }) => name)).toEqual(['Two', 'One'])
    expect(listed[0]?.deletedBy?.email).toBe(system.alice.email)
    const { rest: dan } = system.dan
    expect((await dan.get(path)).status).toBe(403)
    const own = await createWorkspace(dan)
    expect((await undelete(dan, own, { document: docIds[0] })).status).toBe(403)
  })

  it('comes back whole or not at all when document-data is killed meanwhile', async () => {
    const { rest } = system.alice
    const workspaceId = await createWorkspace(rest)
    const docId = await createDocument(rest, workspaceId, 'Large')
    const values = Array.from({ length: 20_000 }, (_, row) => ({
      fields: { A: `row ${row} ${'x'.repeat(100)}` },
    }))
    await rest.post(`/api/docs/${docId}/tables/T/records`, { body: { records: values } })
    await rest.delete(`/api/docs/${docId}`)
    const { dataDir } = system.sheaf
    const folders: Record<string, string> = options.env
      ? {
          'document-data-0': dataDir,
          'document-data-1': join(dataDir, 'instances', 'document-data-1'),
        }
      : { 'document-data': dataDir }
    let answered = 0
    for (const file of ['document.sqlite', 'base.sqlite.gz']) {
      let isKilled = false
      for (let attempt = 0; !isKilled && attempt < 40; attempt++) {
        let isMade = false
        const making = undelete(rest, workspaceId, { document: docId }).finally(
          () => (isMade = true),
        )
        making.catch(() => {})
        const victim = await eventually(async () => isMade || findMaking(folders, file), {
          everyMs: 1,
        })
        if (victim !== true) {
          const pid = await system.sheaf.kill(victim)
          isKilled = !isMade
          await system.sheaf.restarted(victim, pid)
        }
        const { status } = await making
        expect([200, 503]).toContain(status)
        if (status === 200) answered++
      }
      // Otherwise it was always too late.
      expect([file, isKilled]).toEqual([file, true])
    }
    await eventually(
      async () => (await undelete(rest, workspaceId, { document: docId })).status === 200,
    )
    const { docs } = (
      await rest.get<{ docs: { uuid: string }[] }>(`/api/workspaces/${workspaceId}`)
    ).body
    expect(docs.length).toBe(answered + 1)
    for (const { uuid } of docs) expect((await readValues(rest, uuid)).length).toBe(20_001)
  })
})

it('nothing is kept of a document with SHEAF_KEEP_DELETED_DAYS=0', async () => {
  await using sheaf = await startSheaf({ env: { SHEAF_KEEP_DELETED_DAYS: '0' } })
  const rest = createRest(sheaf.url, sheaf.ownerKey)
  const workspaceId = await createWorkspace(rest)
  const docId = await createDocument(rest, workspaceId, 'Gone')
  await rest.delete(`/api/docs/${docId}`)
  expect((await rest.get<Deleted>('/api/orgs/current/deleted')).body.documents).toEqual([])
  const refused = await undelete(rest, workspaceId, { document: docId })
  expect(refused.status).toBe(404)
})
