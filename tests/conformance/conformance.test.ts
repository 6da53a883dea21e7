import { startSheaf } from '@sheaf/testkit/sheaf'
import { hasKit, kitFolder, kitSettings, replay, type Step } from './kit'
import {
  deviations,
  nameOf,
  readKnownFailures,
  UNEXPLAINED,
  writeKnownFailures,
  type KnownFailures,
} from './known-failures'
import { replayDocumentsDuring, type Replayed } from './replay-documents'
import { ensureSqlite3, hasSqlite3 } from './sqlite3-command'

let known = readKnownFailures()

function describeConformance() {
  let steps: readonly Step[] = []
  let replayed: Replayed | undefined

  beforeAll(async () => {
    await ensureSqlite3()
    await using sheaf = await startSheaf({ env: kitSettings })
    const outcome = await replayDocumentsDuring(sheaf.dataDir, () => replay(sheaf))
    steps = outcome.result
    replayed = outcome.replayed
    if (process.env.SHEAF_CONFORMANCE_UPDATE) known = writeKnownFailures(steps, known)
    // Hundreds of documents with formulas, each with an evaluator of its own.
  }, 480_000)

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

it('each known failure is a deviation that is explained', () => {
  const causes = new Set(Object.values(readKnownFailures()).flatMap(Object.values))
  expect([...causes].sort()).toEqual(Object.keys(deviations).sort())
})

if (hasKit()) {
  describe('the conformance kit', describeConformance)
} else {
  describe('the conformance kit', () => {
    it(`is NOT replayed: it is not in ${kitFolder}; SHEAF_CONFORMANCE_DIR names another folder`, () => {
      // Who names a folder means it: there the kit must be.
      expect(process.env.SHEAF_CONFORMANCE_DIR).toBeUndefined()
    })
  })
}
