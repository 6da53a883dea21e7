import { eventually } from '@sheaf/testkit/eventually'
import type { ProcessName, RunningSheaf } from '@sheaf/testkit/sheaf'
import { createTimeLimit, report, roundsOf, untilRandomMoment } from './extent'

/** A process that dies often is restarted later each time, so a long run starts over with a new Sheaf at intervals. */
const ROUNDS_OF_ONE_SHEAF = 3

/**
 * Runs rounds of kills with one new Sheaf after another, as many as a run of this extent has, and expects no fault.
 * @param killAll does so many rounds with a Sheaf of its own; resolves to the faults it found, and what it tells of the load
 */
export async function expectNoFaults(
  what: string,
  killAll: (rounds: number) => Promise<{ faults: string[]; told: string }>,
): Promise<void> {
  const timeIsUp = createTimeLimit()
  const rounds = roundsOf(2)
  for (let done = 0; done < rounds && !timeIsUp();) {
    const now = Math.min(ROUNDS_OF_ONE_SHEAF, rounds - done)
    const { faults, told } = await killAll(now)
    expect(faults).toEqual([])
    done += now
    report(`${what}: ${done} of ${rounds} rounds; ${told}`)
  }
}

/** Which processes to kill, how often each, and how many more requests must succeed after each kill. */
interface Kills {
  readonly victims: readonly ProcessName[]
  readonly rounds: number
  readonly progress: number
}

/** Kills processes at random moments under load, in turn; each time waits until it is restarted and requests succeed. */
export async function killInTurn(
  sheaf: RunningSheaf,
  load: { readonly acknowledged: number },
  { victims, rounds, progress }: Kills,
): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const victim of victims) {
      await untilRandomMoment(50, 500)
      await sheaf.restarted(victim, await sheaf.kill(victim))
      const before = load.acknowledged
      await eventually(() => load.acknowledged > before + progress)
    }
}

/** The numbers of replies by status, for a report; 0 counts broken connections. */
export function describeStatuses(statuses: ReadonlyMap<number, number>): string {
  return [...statuses].map(([status, count]) => `${count} × ${status || 'broken'}`).join(', ')
}
