import { startSheaf } from '@sheaf/testkit/sheaf'
import { hasKit, kitFolder, kitSettings, replay, type Step } from './kit'
import {
  nameOf,
  readKnownFailures,
  UNEXPLAINED,
  writeKnownFailures,
  type KnownFailures,
} from './known-failures'
import { replayDocumentsDuring, type Replayed } from './replay-documents'
import { ensureSqlite3, hasSqlite3 } from './sqlite3-command'

/** How the kit is replayed. */
export interface Replay {
  readonly settings?: Readonly<Record<string, string>>
  /** The file with what became of each step. */
  readonly outcome: string
  /** True for the run from which `npm run conformance -- --update` rewrites the list of known failures. */
  readonly isRecorded: boolean
}

/** Describes a replay of the whole kit; without the kit, a test that says so. */
export function describeKit(name: string, replayed: Replay): void {
  if (hasKit()) describe(name, () => describeReplay(replayed))
  else
    describe(name, () => {
      it(`is NOT replayed: it is not in ${kitFolder}; SHEAF_CONFORMANCE_DIR names another folder`, () => {
        // Who names a folder means it: there the kit must be.
        expect(process.env.SHEAF_CONFORMANCE_DIR).toBeUndefined()
      })
    })
}

function describeReplay({ settings, outcome, isRecorded }: Replay): void {
  let known = readKnownFailures()
  let steps: readonly Step[] = []
  let replayed: Replayed | undefined

  beforeAll(async () => {
    await ensureSqlite3()
    await using sheaf = await startSheaf({ env: { ...kitSettings, ...settings } })
    const made = await replayDocumentsDuring(sheaf.dataDir, () => replay(sheaf, outcome))
    steps = made.result
    replayed = made.replayed
    if (process.env.SHEAF_CONFORMANCE_UPDATE && isRecorded) known = writeKnownFailures(steps, known)
    // Hundreds of documents with formulas, each with an evaluator of its own.
  }, 1_260_000)

  it('has the command sqlite3, which it needs; `apt-get install sqlite3`, or its like, installs it', async () => {
    expect(await hasSqlite3()).toBe(true)
  })

  it('lists every area of the kit, and no other', () => {
    expect(Object.keys(known)).toEqual([...new Set(steps.map(({ area }) => area))].sort())
  })

  it('has one word for why each of the listed steps fails', () => {
    const unexplained = Object.values(known)
      .flatMap((area) => Object.entries(area))
      .filter(([, cause]) => cause === UNEXPLAINED || !/^[a-z]+$/.test(cause))
    expect(unexplained).toEqual([])
  })

  it('writes documents that redo makes again from their logs', () => {
    expect(replayed?.differences).toEqual([])
    expect(replayed?.documents).toBeGreaterThan(50)
    expect(replayed?.entries).toBeGreaterThan(300)
  })

  it.each(Object.keys(known))('passes in %s, except for the listed steps', (area) => {
    expect(compare(area, steps, known)).toEqual({ failsAndIsNotListed: [], passesAndIsListed: [] })
  })
}

/** Where a run and the list disagree. */
function compare(area: string, steps: readonly Step[], list: KnownFailures) {
  const listed = list[area] ?? {}
  const failed = steps.filter((step) => step.area === area && !step.pass)
  const names = new Set(failed.map(nameOf))
  return {
    failsAndIsNotListed: failed
      .filter((step) => !(nameOf(step) in listed))
      .map((step) => `${nameOf(step)} ${step.method} ${step.path}: ${step.reason}`),
    passesAndIsListed: Object.keys(listed).filter((name) => !names.has(name)),
  }
}
