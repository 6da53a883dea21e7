import { randomUUID } from 'node:crypto'
import type { Rest, RestOptions, RestReply } from '@sheaf/testkit/rest'
import { addTable, homeWorkspace, newDocument, readRecords } from '../../support/system'
import { docIdOf, fileOf, inspectFile } from './document-file'
import { readPublishedSeqs } from './published-seqs'

/** Rows of one write: a partial write appears as a group of another size. */
const GROUP = 3
/** A request that hangs for longer counts as a broken connection. */
const PATIENCE_MS = 30_000
/** Statuses that a client may get while something is down. */
const EXPECTED = [200, 429, 503, 504]

/** The possible states of the rows of one write. */
interface Group {
  ids?: number[]
  /** Values of `Version`; 'gone' when the rows may be absent. */
  readonly possible: Set<number | 'gone'>
}

/** One document under load. */
class LoadedDocument {
  readonly groups = new Map<string, Group>()
  /** Acknowledged writes, and those whose outcome is unknown. */
  acknowledged = 0
  unknown = 0

  constructor(readonly path: string) {}
}

/** Clients that add, update, remove and read rows and create documents, and track the expected contents. */
export class MixedLoad implements AsyncDisposable {
  /** Number of replies by status; 0 counts broken connections. */
  readonly statuses = new Map<number, number>()
  private readonly surprises: string[] = []
  private readonly created = new Map<string, string | undefined>()
  private readonly workers: Promise<void>[] = []
  private running = true
  /** Prefix of the names of the documents of this load. */
  private readonly mark = `Made ${randomUUID()} `

  private constructor(
    private readonly rest: Rest,
    readonly documents: readonly LoadedDocument[],
    private readonly workspace: number,
    private readonly expected: ReadonlySet<number>,
  ) {}

  /** Creates the documents and starts; `alsoExpected` are further statuses that clients may get. */
  static async start(
    rest: Rest,
    { documents = 2, alsoExpected = [] as readonly number[] } = {},
  ): Promise<MixedLoad> {
    const loaded: LoadedDocument[] = []
    for (let count = 0; count < documents; count++) {
      const path = await newDocument(rest, `Load ${count}`)
      await addTable(rest, path, 'Words', { Word: 'Text', Version: 'Int' })
      loaded.push(new LoadedDocument(path))
    }
    const load = new MixedLoad(
      rest,
      loaded,
      await homeWorkspace(rest),
      new Set([...EXPECTED, ...alsoExpected]),
    )
    for (const doc of loaded)
      for (const name of ['a', 'b'])
        load.workers.push(load.repeat((round) => load.change(doc, name, round)))
    load.workers.push(load.repeat((round) => load.createDocument(round)))
    return load
  }

  /** Writes acknowledged so far. */
  get acknowledged(): number {
    return this.documents.reduce((sum, doc) => sum + doc.acknowledged, 0)
  }

  /** Stops the load; resolves at the last reply. */
  async stop(): Promise<void> {
    this.running = false
    await Promise.all(this.workers)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /**
   * Describes every deviation from the expected contents; empty when there is none. The load must have been
   * stopped.
   */
  async findFaults(dataDir: string, natsUrl: string): Promise<string[]> {
    const faults = [...this.surprises]
    for (const doc of this.documents)
      faults.push(
        ...(await this.findRowFaults(doc)),
        ...(await this.findLogFaults(doc, dataDir, natsUrl)),
      )
    return [...faults, ...(await this.findDocumentFaults())]
  }

  private async repeat(run: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; this.running; round++) await run(round)
  }

  private async change(doc: LoadedDocument, name: string, round: number): Promise<void> {
    const word = `${name}-${round}`
    const group: Group = { possible: new Set(['gone', 0]) }
    doc.groups.set(word, group)
    const records = Array.from({ length: GROUP }, () => ({ fields: { Word: word, Version: 0 } }))
    const added = await this.write<{ records: { id: number }[] }>(doc, 'post', 'records', {
      records,
    })
    if (!added) return
    const ids = added.body.records.map(({ id }) => id)
    this.settle(group, 0)
    group.ids = ids
    if (round % 2 === 0) {
      const patch = { records: ids.map((id) => ({ id, fields: { Version: round + 1 } })) }
      group.possible.add(round + 1)
      // Rows in doubt are not written again, so that they have few possible states.
      if (!(await this.write(doc, 'patch', 'records', patch))) return
      this.settle(group, round + 1)
    }
    if (round % 5 === 0) {
      group.possible.add('gone')
      if (await this.write(doc, 'post', 'records/delete', ids)) this.settle(group, 'gone')
    }
    if (round % 7 === 0) await this.read(doc)
  }

  private settle({ possible }: Group, state: number | 'gone'): void {
    possible.clear()
    possible.add(state)
  }

  private async write<T>(
    doc: LoadedDocument,
    method: 'post' | 'patch',
    path: string,
    body: unknown,
  ): Promise<RestReply<T> | undefined> {
    doc.unknown++
    const reply = await this.send<T>(method, `${doc.path}/tables/Words/${path}`, { body })
    if (reply?.status !== 200) return undefined
    doc.unknown--
    doc.acknowledged++
    return reply
  }

  /** A reader must never see a partial write. */
  private async read(doc: LoadedDocument): Promise<void> {
    const reply = await this.send<{ records: { fields: { Word: string } }[] }>(
      'get',
      `${doc.path}/tables/Words/records`,
    )
    if (reply?.status !== 200) return
    const sizes = new Map<string, number>()
    for (const { fields } of reply.body.records)
      sizes.set(fields.Word, (sizes.get(fields.Word) ?? 0) + 1)
    for (const [word, size] of sizes)
      if (size !== GROUP) this.surprises.push(`a reader saw ${size} rows of ${word}`)
  }

  private async createDocument(round: number): Promise<void> {
    const name = `${this.mark}${round}`
    this.created.set(name, undefined)
    const path = `/api/workspaces/${this.workspace}/docs`
    const reply = await this.send<string>('post', path, { body: { name } })
    if (reply?.status === 200) this.created.set(name, reply.body)
  }

  private async send<T>(
    method: 'get' | 'post' | 'patch',
    path: string,
    options: RestOptions = {},
  ): Promise<RestReply<T> | undefined> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const reply = await this.rest[method]<T>(path, { ...options, signal }).catch(() => undefined)
    const status = reply?.status ?? 0
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (reply && !this.expected.has(status))
      this.surprises.push(`${method} ${path} answered ${status}: ${reply.text.slice(0, 300)}`)
    return reply
  }

  private async findRowFaults(doc: LoadedDocument): Promise<string[]> {
    const faults: string[] = []
    const found = new Map<string, { ids: number[]; versions: Set<unknown> }>()
    for (const { id, fields } of await readRecords(this.rest, `${doc.path}/tables/Words`)) {
      const word = String(fields.Word)
      const group = found.get(word) ?? { ids: [], versions: new Set() }
      group.ids.push(id)
      group.versions.add(fields.Version)
      found.set(word, group)
    }
    for (const [word, group] of doc.groups) {
      const { ids, versions } = found.get(word) ?? { ids: [], versions: new Set(['gone']) }
      const [version] = versions
      const whole = versions.size === 1 && (ids.length === GROUP || version === 'gone')
      const state = `${ids.length} rows with ${[...versions].join(' and ')}`
      if (!whole || !group.possible.has(version as number))
        faults.push(`${word} has ${state}; it may be ${[...group.possible].join(' or ')}`)
      if (group.ids && ids.length > 0 && String(ids) !== String(group.ids))
        faults.push(`${word} was answered with rows ${String(group.ids)}, and is ${String(ids)}`)
      found.delete(word)
    }
    return [...faults, ...[...found.keys()].map((word) => `nobody sent ${word}`)]
  }

  private async findLogFaults(
    doc: LoadedDocument,
    dataDir: string,
    natsUrl: string,
  ): Promise<string[]> {
    const faults: string[] = []
    const { integrity, seqs } = inspectFile(fileOf(dataDir, doc.path))
    if (integrity !== 'ok') faults.push(`SQLite says: ${integrity}`)
    if (seqs.some((seq, index) => seq !== index + 1))
      faults.push(`the log has gaps: ${String(seqs)}`)
    // Two entries created the document and its table.
    const writes = seqs.length - 2
    if (writes < doc.acknowledged || writes > doc.acknowledged + doc.unknown)
      faults.push(
        `${doc.acknowledged} writes were answered and ${doc.unknown} are in doubt, but the log has ${writes}`,
      )
    const published = await readPublishedSeqs(natsUrl, docIdOf(doc.path), seqs.length)
    if (String(published) !== String(seqs))
      faults.push(`published in the order ${String(published)}`)
    return faults
  }

  private async findDocumentFaults(): Promise<string[]> {
    const faults: string[] = []
    const path = `/api/workspaces/${this.workspace}`
    const { body } = await this.rest.get<{ docs: { id: string; name: string }[] }>(path)
    const listed = body.docs.filter(({ name }) => name.startsWith(this.mark))
    const names = listed.map(({ name }) => name)
    if (new Set(names).size !== names.length) faults.push('a document was made twice')
    for (const [name, docId] of this.created)
      if (docId !== undefined && !names.includes(name)) faults.push(`${name} is lost`)
    for (const { id, name } of listed.slice(-20)) {
      const { status } = await this.rest.get(`/api/docs/${id}/tables/Table1/records`)
      if (status !== 200) faults.push(`${name} is listed, but answers ${status}`)
    }
    return faults
  }
}
