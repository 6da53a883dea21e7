import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { addTable, newDocument, readRecords } from '../support/system'
import { runFaults, type World } from './support/fault-rounds'
import { createSmallDisk } from './support/small-disk'

const ROWS = 2_000
/** The second one is of a write that is in the log, and for which the file then had no room: its effect is told by a repetition. */
const REASONS = new Set(['DISK_FULL', 'LOG_UNAVAILABLE'])
/** A read that has begun when the file of its document is dropped to be made again: no client takes it for complete. */
const CLOSED = /: GET \S+: Error: aborted$/

const disk = createSmallDisk('documents', 24)
const onMount = disk.kind === 'tmpfs' ? describe : describe.skip

interface Refusal {
  readonly error?: string
  readonly details?: { readonly reason?: string }
}

/** Writes that are so large that a full disk has no room for them. */
class LargeWrites {
  private count = 0
  /** Those that were acknowledged. */
  readonly acknowledged: string[] = []
  /** Why others were refused. */
  readonly reasons = new Set<string>()

  constructor(
    private readonly rest: Rest,
    private readonly path: string,
  ) {}

  static async start(rest: Rest): Promise<LargeWrites> {
    const path = await newDocument(rest, 'Large')
    await addTable(rest, path, 'Words', { Word: 'Text' })
    return new LargeWrites(rest, path)
  }

  async write() {
    const word = `write ${this.count++} ${'x'.repeat(200)}`
    const records = Array.from({ length: ROWS }, () => ({ fields: { Word: word } }))
    const reply = await this.rest.post<Refusal>(`${this.path}/tables/Words/records`, {
      body: { records },
    })
    if (reply.status === 200) this.acknowledged.push(word)
    else this.reasons.add(reply.body.details?.reason ?? reply.text)
    return reply
  }

  /** Every write that was acknowledged is there once, and none is there in part. */
  async findFaults(): Promise<string[]> {
    const counts = new Map(this.acknowledged.map((word) => [word, 0]))
    for (const { fields } of await readRecords(this.rest, `${this.path}/tables/Words`))
      counts.set(String(fields.Word), (counts.get(String(fields.Word)) ?? 0) + 1)
    return [...counts]
      .filter(([, count]) => count !== ROWS)
      .map(([word, count]) => `${word.slice(0, 12)} has ${count} rows`)
  }
}

onMount('a full disk of a replicated instance', () => {
  it('refuses writes with the reason, loses nothing that was acknowledged, and recovers by itself', async () => {
    const env = { SHEAF_REPLICATED: 'true', SHEAF_LOOP_DELAY_MS: '60000' }
    await using sheaf = await startSheaf({ ...disk.options, ownEngines: true, env })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const large = await LargeWrites.start(rest)
    const fullDisk = async ({ load }: World) => {
      expect((await large.write()).status).toBe(200)
      await disk.fill(sheaf)
      const refused = await eventually(async () => {
        const reply = await large.write()
        return reply.body.details?.reason === 'DISK_FULL' && reply
      })
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).not.toBeNull()
      for (let count = 0; count < 10; count++)
        expect([200, 503]).toContain((await large.write()).status)
      await disk.free(sheaf)
      await load.goOn()
      await eventually(async () => (await large.write()).status === 200)
      expect(await large.findFaults()).toEqual([])
      expect([...large.reasons].filter((reason) => !REASONS.has(reason))).toEqual([])
    }
    const natsUrl = readNatsUrl(sheaf.dataDir)
    const broken = await runFaults({ sheaf, natsUrl, faults: { fullDisk } })
    expect(broken.filter((fault) => !CLOSED.test(fault))).toEqual([])
  })
})
