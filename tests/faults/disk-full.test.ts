import { statSync } from 'node:fs'
import { testEngines } from '@sheaf/testkit/engines'
import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { docIdOf, fileOf, inspectCopy, inspectFile } from './support/document-file'
import { countRepetitions } from './support/log-repetition'
import { readPublishedSeqs } from './support/published-seqs'
import { createSmallDisk, limitFileSize } from './support/small-disk'

const rows = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ Word: `${name} ${i} ${'x'.repeat(200)}` }))

async function makeDocument(rest: Rest): Promise<string> {
  const doc = await newDocument(rest)
  await addTable(rest, doc, 'Words', { Word: 'Text' })
  await addRecords(rest, `${doc}/tables/Words`, rows('before', 500))
  return doc
}

const write = (rest: Rest, doc: string, name: string, count = 200) =>
  rest.post<{ error?: string }>(`${doc}/tables/Words/records`, {
    body: { records: rows(name, count).map((fields) => ({ fields })) },
  })

const words = async (rest: Rest, doc: string) =>
  (await readRecords(rest, `${doc}/tables/Words`)).map(({ fields }) => String(fields.Word))

const disk = createSmallDisk('documents', 24)

describe(`a full disk (${disk.kind})`, () => {
  it('refuses writes clearly, serves reads, keeps what was written, and recovers by itself', async () => {
    await using sheaf = await startSheaf(disk.options)
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const docs = [await makeDocument(rest), await makeDocument(rest)]
    await disk.fill(sheaf)

    // Free space in the last page of the write-ahead log may hold a small write.
    for (const doc of docs) {
      const refused = await eventually(async () => {
        const reply = await write(rest, doc, 'refused', 2_000)
        return reply.status === 503 && reply
      })
      expect(refused.body.error).toMatch(
        disk.kind === 'tmpfs'
          ? /^the disk is full/
          : /^the (disk is full|document file is unavailable)/,
      )
      expect((await words(rest, doc)).filter((word) => word.startsWith('before'))).toHaveLength(500)
    }
    const workspace = (await rest.get<{ id: number }[]>('/api/orgs/current/workspaces')).body[0]?.id
    const create = () => rest.post(`/api/workspaces/${workspace}/docs`, { body: { name: 'New' } })
    expect((await create()).status).toBe(503)
    // Documents can be read, so Sheaf is ready, but not without a word about the disk. A check of the time before may be reused.
    await eventually(async () => {
      const ready = await rest.get<{ warnings?: string[] }>('/status?ready=1')
      expect(ready).toMatchObject({ status: 200, body: { status: 'ready' } })
      if (disk.kind === 'tmpfs')
        expect(ready.body.warnings).toEqual([
          'document-data-0: the disk of the documents is full, and writes fail with DISK_FULL',
        ])
    })

    for (let n = 0; n < 40; n++) await write(rest, docs[n % 2] ?? '', 'refused', 2_000)
    const logged = countRepetitions(sheaf.output()).get('document-data: a document file failed')
    expect(logged?.stacks).toBeGreaterThan(0)
    // At most five lines of each of the few places at which a full disk is noticed.
    expect(logged?.lines).toBeLessThanOrEqual(30)
    expect(logged?.stacks).toBeLessThanOrEqual(8)

    await disk.free(sheaf)
    for (const doc of docs) {
      const before = await words(rest, doc)
      await eventually(async () => (await write(rest, doc, 'after')).status === 200)
      const after = await words(rest, doc)
      expect(after.slice(0, before.length)).toEqual(before)
      expect(after).toHaveLength(before.length + 200)
      // Each write is there completely or not at all.
      expect(after.filter((word) => word.startsWith('refused')).length % 2_000).toBe(0)
      const { integrity, seqs } = await inspectCopy(disk.reach(sheaf, fileOf(sheaf.dataDir, doc)))
      expect(integrity).toBe('ok')
      expect(seqs).toEqual(seqs.map((_, index) => index + 1))
      const { natsUrl } = testEngines()
      expect(await readPublishedSeqs(natsUrl, docIdOf(doc), seqs.length)).toEqual(seqs)
    }
    expect((await create()).status).toBe(200)
  })

  it('of one document, by a limit of file sizes, leaves the others alone', async () => {
    await using sheaf = await startSheaf()
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const [large, small] = [await makeDocument(rest), await makeDocument(rest)]
    await addRecords(rest, `${large}/tables/Words`, rows('before', 4_000))
    const { size } = statSync(`${fileOf(sheaf.dataDir, large)}-wal`)
    await limitFileSize(sheaf, 'document-data', size)
    const refused = await eventually(async () => {
      const reply = await write(rest, large, 'refused', 500)
      return reply.status === 503 && reply
    })
    expect(refused.body.error).toMatch(/^the (disk is full|document file is unavailable)/)
    expect(await words(rest, large)).toHaveLength(4_500)
    expect((await write(rest, small, 'meanwhile')).status).toBe(200)
    await limitFileSize(sheaf, 'document-data', 'unlimited')
    await eventually(async () => (await write(rest, large, 'after')).status === 200)
    expect(await words(rest, large)).toHaveLength(4_700)
    const { integrity, seqs } = inspectFile(fileOf(sheaf.dataDir, large))
    expect({ integrity, gaps: seqs.some((seq, index) => seq !== index + 1) }).toEqual({
      integrity: 'ok',
      gaps: false,
    })
  })
})

const natsDisk = createSmallDisk('nats', 24)

describe(`a full disk of NATS (${natsDisk.kind})`, () => {
  it('holds up no write, and every change arrives when there is room again', async () => {
    await using sheaf = await startSheaf({
      ...natsDisk.options,
      ownEngines: true,
      env: { SHEAF_CHANGES_MB: '8' },
    })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const doc = await makeDocument(rest)
    await natsDisk.fill(sheaf)
    for (let n = 0; n < 20; n++)
      expect((await write(rest, doc, `meanwhile ${n}`, 300)).status).toBe(200)
    await natsDisk.free(sheaf)
    const { seqs } = inspectFile(fileOf(sheaf.dataDir, doc))
    const published = await readPublishedSeqs(readNatsUrl(sheaf.dataDir), docIdOf(doc), seqs.length)
    expect(published).toEqual(seqs)
  })
})
