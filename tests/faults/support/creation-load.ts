import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import type { Rest, RestReply } from '@sheaf/testkit/rest'
import { fileOf } from './document-file'

const CREATORS_PER_WORKSPACE = 3
/** A request that hangs for longer counts as a broken connection. */
const PATIENCE_MS = 30_000
/** Statuses of requests while something is down. */
const OUTAGES = [429, 503, 504]

/** A request to create a document. */
interface Attempt {
  readonly workspace: number
  /** True when the caller may not create documents there. */
  readonly isRefused: boolean
  /** UUID of the document, once it has been answered. */
  docId?: string
}

interface ListedDocument {
  readonly uuid: string
  readonly name: string
}

/** Clients that create documents concurrently, and one that opens what becomes visible; all answers are recorded. */
export class CreationLoad implements AsyncDisposable {
  /** Number of replies by status; 0 counts broken connections. */
  readonly statuses = new Map<number, number>()
  private readonly attempts = new Map<string, Attempt>()
  /** UUIDs of documents that were listed, by name. */
  private readonly seen = new Map<string, string>()
  private readonly surprises: string[] = []
  private readonly workers: Promise<void>[]
  private running = true

  private constructor(
    private readonly owner: Rest,
    stranger: Rest,
    private readonly workspaces: readonly number[],
  ) {
    this.workers = workspaces.flatMap((workspace) => [
      ...Array.from({ length: CREATORS_PER_WORKSPACE }, (_, creator) =>
        this.repeat((round) => this.create(owner, workspace, `${workspace}-${creator}-${round}`)),
      ),
      this.repeat((round) =>
        this.create(stranger, workspace, `${workspace}-refused-${round}`, true),
      ),
      this.repeat(() => this.openListed(workspace)),
    ])
  }

  /** Creates two workspaces of the owner and starts; the stranger has no access to them. */
  static async start(owner: Rest, stranger: Rest): Promise<CreationLoad> {
    const workspaces: number[] = []
    for (const name of ['First', 'Second'])
      workspaces.push(
        (await owner.post<number>('/api/orgs/current/workspaces', { body: { name } })).body,
      )
    return new CreationLoad(owner, stranger, workspaces)
  }

  /** Number of documents whose creation was answered with success so far. */
  get acknowledged(): number {
    return [...this.attempts.values()].filter(({ docId }) => docId !== undefined).length
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
   * Describes every deviation from what was answered; empty when there is none. All processes run again, and the load
   * has been stopped.
   */
  async findFaults(dataDir: string): Promise<string[]> {
    const listed = new Map<string, ListedDocument>()
    const faults = [...this.surprises]
    for (const workspace of this.workspaces)
      for (const doc of await this.list(workspace)) {
        if (listed.has(doc.name)) faults.push(`${doc.name} is listed twice`)
        listed.set(doc.name, doc)
        faults.push(...(await this.findDocumentFaults(doc, workspace, dataDir)))
      }
    const shown = new Set([...listed.values()].map(({ uuid }) => uuid))
    return [...faults, ...this.findLost(listed), ...(await this.findHalfMade(dataDir, shown))]
  }

  /** What is wrong with a document that is listed. */
  private async findDocumentFaults(
    doc: ListedDocument,
    workspace: number,
    dataDir: string,
  ): Promise<string[]> {
    const attempt = this.attempts.get(doc.name)
    const isWanted = attempt?.workspace === workspace && !attempt.isRefused
    const faults = isWanted ? [] : [`${doc.name} is listed in workspace ${workspace}`]
    if (!existsSync(fileOf(dataDir, doc.uuid))) faults.push(`${doc.name} has no file`)
    const fault = await this.tryDocument(doc)
    return fault === undefined ? faults : [...faults, fault]
  }

  /** What was answered or listed before must be listed, as the same document. */
  private findLost(listed: ReadonlyMap<string, ListedDocument>): string[] {
    const faults: string[] = []
    for (const [name, { docId }] of this.attempts)
      if (docId !== undefined && listed.get(name)?.uuid !== docId)
        faults.push(`${name} was answered, and is ${listed.get(name)?.uuid ?? 'lost'}`)
    for (const [name, uuid] of this.seen)
      if (listed.get(name)?.uuid !== uuid) faults.push(`${name} was listed, and is gone`)
    return faults
  }

  /** Files of documents whose creation was interrupted must not be reachable, nor unfinished files remain. */
  private async findHalfMade(dataDir: string, shown: ReadonlySet<string>): Promise<string[]> {
    const faults: string[] = []
    const documents = join(dataDir, 'documents')
    const hidden = readdirSync(documents)
      .filter((folder) => /^[0-9a-f]{2}$/.test(folder))
      .flatMap((folder) => readdirSync(join(documents, folder)))
      .filter((docId) => !shown.has(docId))
    for (const docId of hidden)
      for (const path of ['', '/tables']) {
        const { status } = await this.owner.get(`/api/docs/${docId}${path}`)
        if (status !== 404) faults.push(`${docId}${path} is not listed, but answers ${status}`)
      }
    const unfinished = join(documents, 'unfinished')
    const left = existsSync(unfinished) ? readdirSync(unfinished) : []
    return [...faults, ...left.map((name) => `${name} remained unfinished`)]
  }

  /** Reads and writes a document; returns what is wrong with it. */
  private async tryDocument({ uuid, name }: ListedDocument): Promise<string | undefined> {
    const records = `/api/docs/${uuid}/tables/Table1/records`
    const added = await this.owner.post(records, { body: { records: [{ fields: { A: 1 } }] } })
    const read = await this.owner.get<{ records: { id: number }[] }>(records)
    if (added.status === 200 && read.status === 200 && read.body.records.length === 1)
      return undefined
    return `${name} answers ${added.status} and ${read.status}: ${read.text.slice(0, 200)}`
  }

  private async list(workspace: number): Promise<ListedDocument[]> {
    const { body } = await this.owner.get<{ docs: ListedDocument[] }>(
      `/api/workspaces/${workspace}`,
    )
    return body.docs
  }

  private async repeat(run: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; this.running; round++) await run(round)
  }

  private async create(
    rest: Rest,
    workspace: number,
    name: string,
    isRefused = false,
  ): Promise<void> {
    const attempt: Attempt = { workspace, isRefused }
    this.attempts.set(name, attempt)
    const path = `/api/workspaces/${workspace}/docs`
    const urlId = name.endsWith('7') ? `made-${name}` : undefined
    const reply = await this.send(
      (signal) => rest.post<string>(path, { body: { name, urlId }, signal }),
      `creating ${name}`,
      isRefused ? [403] : [200],
    )
    if (reply?.status === 200) attempt.docId = reply.body
  }

  /** What is listed can be opened, unless something is down; it opens later then. */
  private async openListed(workspace: number): Promise<void> {
    const listing = await this.send(
      (signal) =>
        this.owner.get<{ docs: ListedDocument[] }>(`/api/workspaces/${workspace}`, { signal }),
      `listing ${workspace}`,
      [200],
    )
    if (listing?.status !== 200) return
    for (const { uuid, name } of listing.body.docs) {
      if (this.seen.has(name)) continue
      this.seen.set(name, uuid)
      await eventually(async () => {
        const path = `/api/docs/${uuid}/tables/Table1/columns`
        const reply = await this.send(
          (signal) => this.owner.get(path, { signal }),
          `opening ${name}, which is listed,`,
          [200],
        )
        return reply !== undefined && !OUTAGES.includes(reply.status)
      })
    }
  }

  private async send<T>(
    call: (signal: AbortSignal) => Promise<RestReply<T>>,
    what: string,
    expected: readonly number[],
  ): Promise<RestReply<T> | undefined> {
    const reply = await call(AbortSignal.timeout(PATIENCE_MS)).catch(() => undefined)
    const status = reply?.status ?? 0
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (![...expected, ...OUTAGES].includes(status))
      this.surprises.push(`${what} answered ${status}: ${reply?.text.slice(0, 300)}`)
    return reply
  }
}
