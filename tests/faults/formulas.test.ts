import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { docIdOf } from './support/document-file'
import { findEvaluators } from './support/evaluator-pids'
import { createTimeLimit, report, roundsOf, untilRandomMoment } from './support/extent'
import { FormulaLoad } from './support/formula-load'

type Victim = 'evaluator' | 'document-data' | 'both'

const VICTIMS: readonly Victim[] = ['evaluator', 'document-data', 'both']

async function killEvaluators(sheaf: RunningSheaf): Promise<void> {
  const { 'document-data': parent } = await sheaf.pids()
  const pids = await eventually(
    () => {
      const found = findEvaluators(parent ?? 0)
      return found.length > 0 && found
    },
    { timeoutMs: 30_000 },
  )
  for (const pid of pids) kill(pid)
}

/** It may have ended by itself. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function strike(sheaf: RunningSheaf, victim: Victim): Promise<void> {
  if (victim !== 'document-data') await killEvaluators(sheaf)
  if (victim !== 'evaluator')
    await sheaf.restarted('document-data', await sheaf.kill('document-data'))
}

/** What `doctor --formulas` finds about these documents; none of their columns may be left out in the end. */
async function check(sheaf: RunningSheaf, paths: readonly string[]): Promise<string[]> {
  const printed = await sheaf.operate('doctor', '--formulas', '--json').catch(
    // The output of a command that exits with 1.
    (error: { stdout: string }) => error.stdout,
  )
  const { findings } = JSON.parse(printed) as { findings: { docId?: string; message: string }[] }
  const docIds = paths.map(docIdOf)
  return findings
    .filter(({ docId }) => docId !== undefined && docIds.includes(docId))
    .map(({ message }) => message)
}

async function killAll(rounds: number): Promise<{ faults: string[]; told: string }> {
  await using sheaf = await startSheaf()
  await using load = await FormulaLoad.start(createRest(sheaf.url, sheaf.ownerKey))
  for (let round = 0; round < rounds; round++)
    for (const victim of VICTIMS) {
      // Columns that take long are computed in steps, one of which is then hit.
      await load.addSlowColumns()
      await untilRandomMoment(50, 500)
      await strike(sheaf, victim)
      const before = load.acknowledged
      await eventually(() => load.acknowledged > before + 5, { timeoutMs: 60_000 })
    }
  await load.stop()
  const faults = await load.findFaults()
  // What is pending is computed, also without a write.
  const left = await eventually(
    async () => {
      const found = await check(sheaf, load.paths)
      return found.some((message) => message.includes('were not checked')) ? false : { found }
    },
    { timeoutMs: 300_000, everyMs: 1000 },
  )
  const told = `${load.record.length} writes sent, ${load.acknowledged} answered`
  return { faults: [...faults, ...left.found], told }
}

describe('processes that compute formulas and are killed at any moment', () => {
  it('lose no write and leave no result that does not fit the data', async () => {
    const timeIsUp = createTimeLimit()
    const rounds = roundsOf(1)
    for (let done = 0; done < rounds && !timeIsUp(); done++) {
      const { faults, told } = await killAll(1)
      expect(faults).toEqual([])
      report(`formulas: ${done + 1} of ${rounds} rounds of ${VICTIMS.length} kills; ${told}`)
    }
    // Three kills, each of which waits for a process to start, on a busy machine.
  }, 480_000)
})
