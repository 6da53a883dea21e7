import { appendFile, cp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Sheaf } from '@sheaf/client'
import { Closer } from '@sheaf/kit/lifecycle'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { TcpProxy } from '@sheaf/testkit/tcp-proxy'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { formOf } from '../support/attachments'
import { addRecords, addTable, homeWorkspace, newDocument, readRecords } from '../support/system'
import { addWebhook, allowLoopback, readWebhook, requireOk, untilRows } from '../support/webhooks'

interface Manifest {
  readonly counts: { readonly documents: number; readonly skipped: number }
  readonly documents: readonly { readonly docId: string; readonly seq: number }[]
  readonly skipped: readonly string[]
}

/** The comparison of a document and its copy. */
interface SharedHistory {
  readonly summary: string
  readonly parent: object
  readonly details: Record<'leftChanges' | 'rightChanges', { tableDeltas: object }>
}

const idOf = (doc: string) => doc.slice('/api/docs/'.length)

/** Adds rows one by one until stopped; returns the acknowledged ones, by row id. */
function keepAdding(rest: Rest, table: string): () => Promise<Map<number, string>> {
  const acknowledged = new Map<number, string>()
  let running = true
  const work = (async () => {
    for (let count = 0; running; count++) {
      const Name = `later-${count}`
      const [id = 0] = await addRecords(rest, table, [{ Name }])
      acknowledged.set(id, Name)
    }
  })()
  return async () => {
    running = false
    await work
    return acknowledged
  }
}

/** Error output of a failing command. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason as { stderr: string },
  )
  return error?.stderr ?? 'it did not fail'
}

const preferences = { orgPrefs: { a: 1 }, userPrefs: { b: 'é' }, userOrgPrefs: { c: null } }

/** The key of a new form of a table. */
async function shareForm(rest: Rest, doc: string): Promise<string> {
  const fields = { name: 'Sign up', type: 'form', form: { fields: [{ id: 'Name' }] } }
  const added = await rest.post<{ views: { id: number }[] }>(`${doc}/tables/Pets/views`, {
    body: { views: [{ fields }] },
  })
  const path = `${doc}/forms/${requireOk(added).views[0]?.id}/link`
  return requireOk(await rest.post<{ link: { key: string } }>(path, { body: {} })).link.key
}

/** A Sheaf with everything that a backup must contain, and its backup, made while it was written to. */
async function fill(sheaf: RunningSheaf, receiver: WebhookReceiver, folder: string) {
  const owner = createRest(sheaf.url, sheaf.ownerKey)
  const reader = await sheaf.createUser('reader@example.com', 'Reader')
  const doc = await newDocument(owner, 'Busy')
  await addTable(owner, doc, 'Pets', { Name: 'Text' })
  // A line break as in pasted text.
  const memo = 'two\u2028lines'
  const webhook = await addWebhook(owner, doc, { url: `${receiver.url}/pets`, memo })
  await addRecords(owner, `${doc}/tables/Pets`, [{ Name: 'Rex' }, { Name: 'Tom' }])
  const body = formOf([['note.txt', 'a note']])
  const [attachment] = requireOk(await owner.post<number[]>(`${doc}/attachments`, { body }))
  const delta = { delta: { users: { [reader.email]: 'viewers' } } }
  requireOk(await owner.patch(`${doc}/access`, { body: delta }))
  requireOk(await owner.patch('/api/orgs/docs', { body: preferences }))
  requireOk(await owner.patch(`${doc}/preferences`, { body: { a: 'é' } }))
  const formKey = await shareForm(owner, doc)
  const trashed = await newDocument(owner, 'Trashed')
  requireOk(await owner.post(`${trashed}/remove`))
  const gone = await newDocument(owner, 'Gone')
  const workspaceId = await homeWorkspace(owner)
  const twin = requireOk(await owner.post<string>(`${doc}/copy`, { body: { workspaceId } }))
  await untilRows(receiver, '/pets', 2)
  const before = await readRecords(owner, `${doc}/tables/Pets`)
  const stop = keepAdding(owner, `${doc}/tables/Pets`)
  const counts = JSON.parse(await sheaf.operate('backup', folder, '--json')) as object
  const later = await stop()
  const { parent } = requireOk(await owner.get<SharedHistory>(`${doc}/compare/${twin}`))
  const made = { doc, twin, parent, webhook, attachment, formKey, trashed, gone, reader }
  return { ...made, before, counts, later }
}

describe('a backup', () => {
  const open = new Closer()
  let folder = ''
  let receiver: WebhookReceiver
  let source: RunningSheaf
  let target: RunningSheaf
  let filled: Awaited<ReturnType<typeof fill>>

  beforeAll(async () => {
    folder = join(open.use(await tempDir()).path, 'backup')
    receiver = open.use(await startReceiver())
    source = open.use(await startSheaf({ env: allowLoopback }))
    filled = await fill(source, receiver, folder)
    // With the NATS of the source, which holds later entries under numbers that will be used again.
    target = open.use(await startSheaf({ env: allowLoopback }))
  })
  afterAll(() => open.close())

  /** A copy of the backup that a test may damage. */
  async function copyBackup(): Promise<string> {
    const copy = join(open.use(await tempDir()).path, 'copy')
    await cp(folder, copy, { recursive: true })
    return copy
  }

  const readManifest = async () =>
    JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest

  it('tells in its manifest of all documents, those in the trash too', async () => {
    const { counts, documents } = await readManifest()
    expect(filled.counts).toEqual(counts)
    expect(counts).toMatchObject({ documents: 4, skipped: 0 })
    const ids = [filled.doc, filled.trashed, filled.gone].map(idOf)
    expect(documents.map(({ docId }) => docId).sort()).toEqual([...ids, filled.twin].sort())
  })

  it('can be read by its user alone', async () => {
    const { documents } = await readManifest()
    const files = ['manifest.json', 'directory.ndjson', 'webhook.ndjson']
    for (const file of [...files, `documents/${documents[0]?.docId}.sqlite`])
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it('is not written into a folder that holds something', async () => {
    expect(await refusal(source.operate('backup', folder))).toMatch(/is not empty/)
  })

  it('is refused by a Sheaf that is not empty, which says what is there', async () => {
    expect(await refusal(source.operate('restore', folder))).toMatch(
      /not empty.* 2 users, 0 team sites and 4 documents/,
    )
  })

  it('is refused, changing nothing, when it was interrupted or a file of it is damaged', async () => {
    const interrupted = await copyBackup()
    await rm(join(interrupted, 'manifest.json'))
    expect(await refusal(target.operate('restore', interrupted))).toMatch(
      /manifest\.json is missing/,
    )
    for (const file of ['webhook.ndjson', `documents/${idOf(filled.trashed)}.sqlite`]) {
      const damaged = await copyBackup()
      await appendFile(join(damaged, file), 'x')
      expect(await refusal(target.operate('restore', damaged))).toMatch(/is damaged/)
    }
    const garbled = await copyBackup()
    await writeFile(join(garbled, 'manifest.json'), '{"format":1}')
    expect(await refusal(target.operate('restore', garbled))).toMatch(/manifest\.json is damaged/)
    const rest = createRest(target.url, target.ownerKey)
    expect(requireOk(await rest.get<object[]>('/api/orgs'))).toHaveLength(1)
  })

  it('that breaks off on its way back is seen by nobody, and can be restored once more', async () => {
    const copy = await copyBackup()
    const manifest = await readManifest()
    const [first, second, third, last] = manifest.documents
    const documents = [first, second, third, { ...last, seq: 1_000_000 }]
    await writeFile(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, documents }))
    expect(await refusal(target.operate('restore', copy))).toMatch(/does not match the manifest/)
    const rest = createRest(target.url, target.ownerKey)
    const [workspace] = requireOk(
      await rest.get<{ docs: object[] }[]>('/api/orgs/current/workspaces'),
    )
    expect(workspace?.docs).toEqual([])
    expect((await rest.get(`${filled.doc}/tables`)).status).toBe(404)
  })

  it('brings everything back into an empty Sheaf, and delivers nothing a second time', async () => {
    const { doc, webhook, attachment, formKey, trashed, gone, reader, before, later } = filled
    const original = createRest(source.url, source.ownerKey)
    await untilRows(receiver, '/pets', before.length + later.size)
    const definition = (await readWebhook(original, doc, webhook)).fields
    const delivered = receiver.rows('/pets').length

    // As if it had been deleted during the backup.
    const copy = await copyBackup()
    const manifest = await readManifest()
    const skipped = [idOf(gone)]
    const documents = manifest.documents.filter(({ docId }) => !skipped.includes(docId))
    const told = JSON.stringify({ ...manifest, documents, skipped })
    await writeFile(join(copy, 'manifest.json'), told)
    expect(await target.operate('restore', copy)).toMatch(
      /restored \d+ documents \([\d.]+ MiB\) from a backup made by version \d+\.\d+\.\d+/,
    )
    const owner = createRest(target.url, source.ownerKey)
    const table = `${doc}/tables/Pets`
    const rows = await readRecords(owner, table)
    expect(rows.slice(0, before.length)).toEqual(before)
    // Of the concurrent writes, the backup contains a prefix without gaps.
    const since = rows.slice(before.length).map(({ id, fields }) => [id, fields.Name])
    expect(since).toEqual([...later].slice(0, since.length))
    const [key] = requireOk(await owner.get<{ id: number }[]>('/api/profile/apikeys'))
    const byKey = { query: { keyId: key?.id, limit: 1 } }
    expect((await owner.get(`${doc}/history`, byKey)).body).toMatchObject({
      changes: [{ keyId: key?.id }],
    })
    const file = await owner.get(`${doc}/attachments/${attachment}/download`)
    expect(file.raw.toString()).toBe('a note')

    expect((await owner.get('/api/orgs/docs')).body).toMatchObject(preferences)
    expect((await owner.get(`${doc}/preferences`)).body).toEqual({ a: 'é' })
    expect((await createRest(target.url).get(`/api/forms/${formKey}`)).status).toBe(200)

    expect((await createRest(target.url, target.ownerKey).get('/api/orgs')).status).toBe(401)
    const asReader = createRest(target.url, reader.key)
    expect(await readRecords(asReader, table)).toEqual(rows)
    const write = { body: { records: [{ fields: { Name: 'no' } }] } }
    expect((await asReader.post(`${table}/records`, write)).status).toBe(403)
    requireOk(await owner.post(`${trashed}/unremove`))
    expect((await owner.get(`${trashed}/tables`)).status).toBe(200)

    expect((await owner.get(`${gone}/tables`)).status).toBe(404)

    expect((await readWebhook(owner, doc, webhook)).fields).toEqual(definition)
    await addRecords(owner, table, [{ Name: 'new' }])
    const all = await untilRows(receiver, '/pets', delivered + 1)
    expect(all.slice(delivered).map(({ Name }) => Name)).toEqual(['new'])
    const made = await newDocument(owner, 'After')
    expect((await owner.get(`${made}/tables`)).status).toBe(200)
  })

  it.each([
    ['has gone on beyond the restored one', true],
    ['is behind the restored one', false],
  ])('ends the feeds of clients whose log %s', async (_, isAhead) => {
    const id = idOf(filled.doc)
    const { ownerKey: key } = source
    const docs = [source, target].map(({ url }) => new Sheaf({ url, key }).doc(id))
    const [ahead, behind] = isAhead ? docs : docs.reverse()
    const isLonger = async () =>
      Number((await ahead?.position())?.seq) > Number((await behind?.position())?.seq)
    while (!(await isLonger())) await ahead?.table('Pets').add([{ Name: 'further' }])

    await using proxy = await TcpProxy.start(source.url)
    const original = new Sheaf({ url: proxy.through(source.url), key }).doc(id)
    // Connected, and at the end of the log.
    const { seq, etag } = await original.position()
    const feeds = [original.changes({ after: seq - 1 }), original.changes({ after: seq - 1, etag })]
    for (const feed of feeds) expect((await feed.next()).value).toMatchObject({ seq })
    const ended = feeds.map((feed) => feed.next())
    proxy.leadTo(target.url)
    const cut = { name: 'ConflictError', reason: 'CHANGES_CUT' }
    for (const feed of ended) await expect(feed).rejects.toMatchObject(cut)
    // Of a client that had stopped before.
    for (const follow of [true, false])
      await expect(original.changes({ after: seq, etag, follow }).next()).rejects.toMatchObject(cut)
    await expect(original.changes({ after: 1, etag }).next()).rejects.toMatchObject(cut)
  })

  it('keeps what a document and its copy have in common', async () => {
    const { doc, twin, parent } = filled
    const owner = createRest(target.url, source.ownerKey)
    const compared = await owner.get<SharedHistory>(`${doc}/compare/${twin}`, {
      query: { detail: true, maxRows: 0 },
    })
    const { details, ...shared } = requireOk(compared)
    expect(shared).toMatchObject({ summary: 'left', parent })
    expect(Object.keys(details.leftChanges.tableDeltas)).toEqual(['Pets'])
    expect(details.rightChanges.tableDeltas).toEqual({})
  })

  it('once restored, is the base from which `doctor --replay` makes the documents with their later writes', async () => {
    const { findings } = JSON.parse(await target.operate('doctor', '--replay', '--json')) as {
      findings: { docId?: string; message: string }[]
    }
    expect(findings.filter(({ docId }) => docId)).toEqual([])
  })
})
