import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { docIdOf, fileOf } from './support/document-file'

const PAGE = 4096
const ROWS = 3_000

interface Diagnosis {
  readonly running: boolean
  readonly documents: number
  readonly findings: readonly { level: string; docId?: string; message: string }[]
}

/** Overwrites part of a file, like a failing disk. */
function overwrite(path: string, position: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  try {
    writeSync(file, bytes, 0, bytes.length, position)
  } finally {
    closeSync(file)
  }
}

/** Ways to damage a file, and the doctor's finding for each. */
const damages: Record<string, { harm(path: string): void; said: RegExp }> = {
  'bytes flipped in its pages': {
    harm: (path) => {
      const pages = statSync(path).size / PAGE
      for (let page = 12; page < pages; page++) overwrite(path, page * PAGE, Buffer.alloc(64, 0xa5))
    },
    said: /its file is damaged|cannot be read/,
  },
  'cut in the middle': {
    harm: (path) => truncateSync(path, Math.floor(statSync(path).size / 2 / PAGE) * PAGE),
    said: /its file is damaged|cannot be read/,
  },
  'its head overwritten by zeros': {
    harm: (path) => overwrite(path, 0, Buffer.alloc(100)),
    said: /cannot be read: file is not a database/,
  },
  emptied: { harm: (path) => truncateSync(path, 0), said: /its file is empty/ },
  lost: { harm: (path) => rmSync(path), said: /its file is missing|has no file/ },
}

describe('a damaged document', () => {
  let sheaf: RunningSheaf
  let rest: Rest
  beforeAll(async () => {
    sheaf = await startSheaf({ env: { SHEAF_IDLE_SECONDS: '1' } })
    rest = createRest(sheaf.url, sheaf.ownerKey)
  })
  afterAll(async () => {
    await sheaf?.[Symbol.asyncDispose]()
  })

  async function makeDocument(): Promise<string> {
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'Words', { Word: 'Text' })
    const rows = Array.from({ length: ROWS }, (_, i) => ({ Word: `word ${i} ${'x'.repeat(50)}` }))
    await addRecords(rest, `${doc}/tables/Words`, rows)
    return doc
  }

  /** Resolves when the service has closed the file, which removes its write-ahead log. */
  const untilClosed = (path: string) => eventually(() => !existsSync(`${path}-wal`))

  async function diagnose(): Promise<Diagnosis & { failed: boolean }> {
    // The command exits with 1 when it has findings, after printing all of them.
    const { failed, stdout } = await sheaf.operate('doctor', '--json').then(
      (text) => ({ failed: false, stdout: text }),
      (error: { stdout: string }) => ({ failed: true, stdout: error.stdout }),
    )
    return { failed, ...(JSON.parse(stdout) as Diagnosis) }
  }

  const status = async (path: string) => (await rest.get(path).catch(() => undefined))?.status
  const errorsOf = ({ findings }: Diagnosis, doc: string) =>
    findings
      .filter(({ level, docId }) => level === 'error' && docId === docIdOf(doc))
      .map(({ message }) => message)

  it('answers a clear error, is described by the doctor, and is nobody else’s trouble', async () => {
    const sound = await makeDocument()
    const damaged: { name: string; doc: string; said: RegExp }[] = []
    for (const [name, { said }] of Object.entries(damages))
      damaged.push({ name, doc: await makeDocument(), said })
    const before = await eventually(async () => {
      const diagnosis = await diagnose()
      return !diagnosis.failed && diagnosis
    })
    expect(before).toMatchObject({ running: true })
    for (const { name, doc } of damaged) {
      const path = fileOf(sheaf.dataDir, doc)
      await untilClosed(path)
      damages[name]?.harm(path)
    }

    for (const { name, doc } of damaged) {
      const body = { records: [{ fields: { Word: 'new' } }] }
      const read = await rest
        .get<{ error: string }>(`${doc}/tables/Words/records`, { query: { limit: 2_900 } })
        .catch(() => undefined)
      const written = await rest.post(`${doc}/tables/Words/records`, { body })
      const clear = name === 'lost' ? [404] : [503]
      // A long reply that encounters the damage is aborted.
      expect({ name, status: read?.status ?? 503 }).toEqual({ name, status: clear[0] })
      if (written.status === 503)
        expect({ name, text: written.text }).toEqual({
          name,
          text: expect.stringContaining('the document file is damaged'),
        })
      else expect({ name, status: written.status }).toEqual({ name, status: clear[0] })
    }
    expect((await readRecords(rest, `${sound}/tables/Words`)).length).toBe(ROWS)
    await addRecords(rest, `${sound}/tables/Words`, [{ Word: 'still' }])
    expect(await status('/status?ready=1')).toBe(200)

    const after = await diagnose()
    expect(after.failed).toBe(true)
    for (const { name, doc, said } of damaged)
      expect({ name, messages: errorsOf(after, doc).join('\n') }).toEqual({
        name,
        messages: expect.stringMatching(said),
      })
    expect(errorsOf(after, sound)).toEqual([])
  })

  it('is noticed when one byte of its log has changed, where the log is read and by the doctor', async () => {
    const doc = await makeDocument()
    const path = fileOf(sheaf.dataDir, doc)
    await untilClosed(path)
    const bytes = readFileSync(path)
    // Only the log has the values in quotation marks.
    const position = bytes.indexOf(`"word 7 ${'x'.repeat(50)}"`)
    overwrite(path, position + 6, Buffer.from('8'))

    for (const read of ['changes', 'history', 'changes?since=2']) {
      const reply = await rest.get(`${doc}/${read}`)
      expect({ read, status: reply.status, body: reply.body }).toMatchObject({
        read,
        status: 503,
        body: { details: { reason: 'DOCUMENT_DAMAGED' } },
      })
    }
    const undone = await rest.post(`${doc}/changes/3/revert`, { body: {} })
    expect(undone.status).toBe(503)
    expect((await readRecords(rest, `${doc}/tables/Words`)).length).toBe(ROWS)
    await addRecords(rest, `${doc}/tables/Words`, [{ Word: 'still' }])
    expect(errorsOf(await diagnose(), doc)).toEqual([
      expect.stringMatching(/its log is damaged in the entries 3$/),
    ])
  })
})
