import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf, type SheafOptions } from '@sheaf/testkit/sheaf'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { formOf } from '../support/attachments'
import { addTable, newDocument, readRecords } from '../support/system'

/** Adds a row; what a gateway could not repeat is sent again. */
async function add(rest: Rest, path: string, value: string): Promise<void> {
  const body = { records: [{ fields: { A: value } }] }
  const headers = { 'Idempotency-Key': value.replace(/\W/g, '-') }
  await eventually(
    async () => (await rest.post(`${path}/tables/T/records`, { body, headers })).status === 200,
  )
}

const valuesOf = async (rest: Rest, path: string) =>
  (await readRecords(rest, `${path}/tables/T`)).map(({ fields }) => fields.A)

const attachmentOf = async (rest: Rest, path: string, id: number) =>
  (await rest.get(`${path}/attachments/${id}/download`)).text

const historyOf = async (rest: Rest, path: string) => {
  const { body } = await rest.get<{ changes: { seq: number }[] }>(`${path}/history`)
  return body.changes.map(({ seq }) => seq)
}

const homeOf = async (sheaf: RunningSheaf) => {
  const listed = await sheaf.operate('instances', 'list', '--json')
  const [home] = JSON.parse(listed) as { documents: number; pinned: number; local: number }[]
  return home
}

describe('a replicated Sheaf whose documents are released', () => {
  it('has them without replication on the same disk, and adopts them when it is replicated again', async () => {
    await using folder = await tempDir()
    const start: SheafOptions = { dataDir: folder.path, ownEngines: true }
    const replicated = { SHEAF_REPLICATED: 'true' }
    let ownerKey: string
    let path: string
    let other: string
    let id: number
    let seqs: number[]
    {
      await using sheaf = await startSheaf({ ...start, env: replicated })
      ;({ ownerKey } = sheaf)
      const rest = createRest(sheaf.url, ownerKey)
      path = await newDocument(rest, 'Released')
      other = await newDocument(rest, 'Other')
      for (const each of [path, other]) await addTable(rest, each, 'T', { A: 'Text' })
      await add(rest, path, 'replicated')
      const uploaded = await rest.post<number[]>(`${path}/attachments`, {
        body: formOf([['note.txt', 'as it was']]),
      })
      id = uploaded.body[0] ?? 0
      const docId = path.split('/').at(-1) ?? ''
      expect(await sheaf.operate('documents', 'release', docId)).toContain('document-data-0 alone')
      await add(rest, path, 'released')
      expect(await sheaf.operate('documents', 'adopt', docId)).toContain('replicated')
      await add(rest, path, 'adopted')
      const docs = (await homeOf(sheaf))?.documents
      expect(await sheaf.operate('documents', 'release', '--all')).toContain('released')
      expect(await homeOf(sheaf)).toMatchObject({ documents: docs, pinned: docs, local: docs })
      await add(rest, path, 'all released')
      seqs = await historyOf(rest, path)
      const { findings } = JSON.parse(await sheaf.operate('doctor', '--json')) as {
        findings: { level: string }[]
      }
      expect(findings.filter(({ level }) => level === 'error')).toEqual([])
    }
    const rows = ['replicated', 'released', 'adopted', 'all released']
    {
      await using sheaf = await startSheaf({ ...start, ownerKey })
      const rest = createRest(sheaf.url, ownerKey)
      expect(await valuesOf(rest, path)).toEqual(rows)
      expect(await attachmentOf(rest, path, id)).toBe('as it was')
      expect(await historyOf(rest, path)).toEqual(seqs)
      for (const each of [path, other]) await add(rest, each, `local ${each}`)
    }
    await using sheaf = await startSheaf({ ...start, ownerKey, env: replicated })
    const rest = createRest(sheaf.url, ownerKey)
    await eventually(async () => (await homeOf(sheaf))?.pinned === 0, { timeoutMs: 60_000 })
    expect(await valuesOf(rest, path)).toEqual([...rows, `local ${path}`])
    expect(await valuesOf(rest, other)).toEqual([`local ${other}`])
    expect(await attachmentOf(rest, path, id)).toBe('as it was')
    await add(rest, path, 'replicated again')
    expect(await historyOf(rest, path)).toHaveLength(seqs.length + 2)
  })

  it('keeps a document that was not released out of use without replication', async () => {
    await using folder = await tempDir()
    const start: SheafOptions = { dataDir: folder.path, ownEngines: true }
    let ownerKey: string
    let path: string
    {
      await using sheaf = await startSheaf({ ...start, env: { SHEAF_REPLICATED: 'true' } })
      ;({ ownerKey } = sheaf)
      const rest = createRest(sheaf.url, ownerKey)
      path = await newDocument(rest, 'Replicated')
      await addTable(rest, path, 'T', { A: 'Text' })
    }
    await using sheaf = await startSheaf({ ...start, ownerKey })
    const rest = createRest(sheaf.url, ownerKey)
    const { status, body } = await rest.get<{ error: string }>(`${path}/tables`)
    expect(status).toBe(503)
    expect(body.error).toContain('is replicated')
  })
})
