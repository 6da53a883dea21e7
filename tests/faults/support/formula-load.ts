import type { Rest, RestReply } from '@sheaf/testkit/rest'
import {
  addRecords,
  addTable,
  newDocument,
  readRecords,
  type RestRecord,
} from '../../support/system'
import { requireOk } from '../../support/webhooks'

/** Rows of one write: a partial write appears as rows of several versions. */
const GROUP = 3
/** A request that hangs for longer counts as a broken connection. */
const PATIENCE_MS = 30_000
/** Statuses that a client may get while something is down; 0 is a broken connection. */
const EXPECTED = [0, 200, 429, 503, 504]
/** Rows that nobody changes, so that a new formula has much to compute. */
const FILLING = 150

const FORMULAS = {
  Twice: '$Amount * 2',
  Total: 'SUM(Items.lookupRecords(Word=$Word).Amount)',
  Above: '$Parent.Twice',
  // In a function, so that it needs Python.
  Share: '(lambda: $Twice / (2 * $Total) if $Total else 0)()',
}
/** Takes about a millisecond for each row, so that the column is pending for some time. */
const SLOW = 'sum(range(20000)) * 0 + $Amount + len(Items.lookupRecords(Word=$Word))'

interface Fields {
  readonly Word: string
  readonly Amount: number
  readonly Twice: unknown
  readonly Total: unknown
}

/** The kinds of writes: method and path. */
const requests = {
  add: ['post', 'records'],
  update: ['patch', 'records'],
  remove: ['post', 'records/delete'],
} as const
type WriteRequest = keyof typeof requests

/** A write, as it was sent and answered. */
export interface RecordedWrite {
  readonly word: string
  readonly request: WriteRequest
  readonly status: number
}

/** The possible states of the rows of one word: their amount, or 'gone'. */
type States = Set<number | 'gone'>

interface LoadedDocument {
  readonly path: string
  readonly words: Map<string, States>
  /** Id of a row to refer to. */
  readonly parent: number
}

/**
 * Clients that add, update and remove rows on which formulas depend, and readers that check every answer: results must
 * fit the data that comes with them.
 */
export class FormulaLoad implements AsyncDisposable {
  /** Every write, in the order of the answers. */
  readonly record: RecordedWrite[] = []
  /** Slow columns that were added. */
  slowColumns = 0
  private readonly surprises = new Set<string>()
  private workers: Promise<void>[] = []
  private running = true

  private constructor(
    private readonly rest: Rest,
    private readonly documents: readonly LoadedDocument[],
  ) {}

  /** Creates the documents and starts. */
  static async start(rest: Rest, documents = 2): Promise<FormulaLoad> {
    const loaded: LoadedDocument[] = []
    for (let count = 0; count < documents; count++) loaded.push(await prepare(rest, count))
    const load = new FormulaLoad(rest, loaded)
    load.workers = loaded.flatMap((doc) => [
      load.repeat((round) => load.change(doc, `a-${round}`, round)),
      load.repeat((round) => load.change(doc, `b-${round}`, round)),
      load.repeat(() => load.read(doc)),
    ])
    return load
  }

  /** Paths of the documents in the API. */
  get paths(): readonly string[] {
    return this.documents.map(({ path }) => path)
  }

  /** Number of acknowledged writes. */
  get acknowledged(): number {
    return this.record.filter(({ status }) => status === 200).length
  }

  /** Adds a formula that takes long to each document. */
  async addSlowColumns(): Promise<void> {
    const id = `Slow${++this.slowColumns}`
    const columns = [{ id, fields: { type: 'Any', isFormula: true, formula: SLOW } }]
    for (const { path } of this.documents)
      await this.send('post', `${path}/tables/Items/columns`, { columns })
  }

  /** Stops the load; resolves at the last reply. */
  async stop(): Promise<void> {
    this.running = false
    await Promise.all(this.workers)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** Describes every deviation from what was answered; empty when there is none. The load must have been stopped. */
  async findFaults(): Promise<string[]> {
    const faults = [...this.surprises]
    for (const doc of this.documents) faults.push(...(await this.findRowFaults(doc)))
    return faults
  }

  /** Describes cells that are not computed, or have another value than their formulas give for the rows. */
  async findResultFaults(): Promise<string[]> {
    const faults: string[] = []
    for (const { path } of this.documents) {
      const rows = await readRecords(this.rest, `${path}/tables/Items`)
      for (const { id, fields, expected } of computeAll(rows, this.slowColumns))
        for (const [column, value] of Object.entries(expected))
          if (fields[column] !== value)
            faults.push(
              `${path}: ${column}[${id}] is ${JSON.stringify(fields[column])}, not ${String(value)}`,
            )
    }
    return faults
  }

  private async repeat(run: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; this.running; round++) await run(round)
  }

  private async change(doc: LoadedDocument, word: string, round: number): Promise<void> {
    const states: States = new Set(['gone', 1])
    doc.words.set(word, states)
    const records = Array.from({ length: GROUP }, () => ({
      fields: { Word: word, Amount: 1, Parent: doc.parent },
    }))
    const reply = await this.write<{ records: { id: number }[] }>(doc, word, 'add', { records })
    if (!reply) return
    settle(states, 1)
    const ids = reply.records.map(({ id }) => id)
    const next = round + 2
    states.add(next)
    const patch = ids.map((id) => ({ id, fields: { Amount: next } }))
    // Rows in doubt are not written again, so that they have few possible states.
    if (!(await this.write(doc, word, 'update', { records: patch }))) return
    settle(states, next)
    if (round % 4 !== 0) return
    states.add('gone')
    if (await this.write(doc, word, 'remove', ids)) settle(states, 'gone')
  }

  private async write<T>(
    { path }: LoadedDocument,
    word: string,
    request: WriteRequest,
    body: unknown,
  ): Promise<{ body: T }['body'] | undefined> {
    const [method, place] = requests[request]
    const reply = await this.send<T>(method, `${path}/tables/Items/${place}`, body)
    const status = reply?.status ?? 0
    this.record.push({ word, request, status })
    return status === 200 ? (reply?.body ?? ({} as T)) : undefined
  }

  /** A reader must never see a part of a write, or a result that does not fit the data. */
  private async read({ path }: LoadedDocument): Promise<void> {
    const reply = await this.send<{ records: { fields: Fields }[] }>(
      'get',
      `${path}/tables/Items/records`,
    )
    if (reply?.status !== 200) return
    const rows = reply.body.records.map(({ fields }) => fields)
    for (const fault of findMisfits(rows)) this.surprises.add(`a reader saw ${fault}`)
  }

  private async send<T>(
    method: 'get' | 'post' | 'patch',
    path: string,
    body?: unknown,
  ): Promise<RestReply<T> | undefined> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const reply = await this.rest[method]<T>(path, { body, signal }).catch(() => undefined)
    const status = reply?.status ?? 0
    if (!EXPECTED.includes(status))
      this.surprises.add(`${method} ${path} answered ${status}: ${reply?.text.slice(0, 300)}`)
    return reply
  }

  private async findRowFaults(doc: LoadedDocument): Promise<string[]> {
    const faults: string[] = []
    const found = new Map<string, number[]>()
    for (const { fields } of await readRecords(this.rest, `${doc.path}/tables/Items`)) {
      const { Word, Amount } = fields as unknown as Fields
      const amounts = found.get(Word) ?? []
      found.set(Word, amounts)
      amounts.push(Amount)
    }
    for (const [word, states] of doc.words) {
      const amounts = found.get(word) ?? []
      const [state = 'gone'] = amounts
      const isWhole = state === 'gone' || (amounts.length === GROUP && new Set(amounts).size === 1)
      if (!isWhole || !states.has(state))
        faults.push(`${word} is ${amounts.join()}; it may be ${[...states].join(' or ')}`)
    }
    return faults
  }
}

async function prepare(rest: Rest, count: number): Promise<LoadedDocument> {
  const path = await newDocument(rest, `Formulas ${count}`)
  await addTable(rest, path, 'Items', { Word: 'Text', Amount: 'Int', Parent: 'Ref:Items' })
  const table = `${path}/tables/Items`
  const filling = Array.from({ length: FILLING }, (_, i) => ({ Word: `filling ${i}`, Amount: i }))
  const [parent = 0] = await addRecords(rest, table, filling)
  const columns = Object.entries(FORMULAS).map(([id, formula]) => ({
    id,
    fields: { type: 'Any', isFormula: true, formula },
  }))
  requireOk(await rest.post(`${table}/columns`, { body: { columns } }))
  return { path, words: new Map(), parent }
}

/** What the formulas of each row give. */
function computeAll(rows: readonly RestRecord[], slowColumns: number) {
  const byId = new Map(rows.map(({ id, fields }) => [id, fields]))
  const words = new Map<unknown, { count: number; sum: number }>()
  for (const { fields } of rows) {
    const { count, sum } = words.get(fields.Word) ?? { count: 0, sum: 0 }
    words.set(fields.Word, { count: count + 1, sum: sum + Number(fields.Amount) })
  }
  return rows.map(({ id, fields }) => {
    const amount = Number(fields.Amount)
    const { count = 0, sum = 0 } = words.get(fields.Word) ?? {}
    const parent = byId.get(Number(fields.Parent))
    const slow = Array.from({ length: slowColumns }, (_, index) => [
      `Slow${index + 1}`,
      amount + count,
    ])
    const expected: Record<string, unknown> = {
      Twice: amount * 2,
      Total: sum,
      Share: sum === 0 ? 0 : amount / sum,
      ...(parent && { Above: Number(parent.Amount) * 2 }),
      ...Object.fromEntries(slow),
    }
    return { id, fields, expected }
  })
}

function settle(states: States, state: number | 'gone'): void {
  states.clear()
  states.add(state)
}

/** The code of a cell that is not computed yet. */
const isPending = (value: unknown) => Array.isArray(value) && value[0] === 'P'

/** Results that do not fit the rows with them. */
function findMisfits(rows: readonly Fields[]): string[] {
  const sums = new Map<string, number>()
  for (const { Word, Amount } of rows) sums.set(Word, (sums.get(Word) ?? 0) + Amount)
  return rows.flatMap(({ Word, Amount, Twice, Total }) => {
    const isFitting =
      (isPending(Twice) || Twice === Amount * 2) && (isPending(Total) || Total === sums.get(Word))
    return isFitting ? [] : [`${Word} with ${Amount}, ${String(Twice)} and ${String(Total)}`]
  })
}
