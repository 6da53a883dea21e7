import { eventually } from '@sheaf/testkit/eventually'
import type { ProcessName, RunningSheaf } from '@sheaf/testkit/sheaf'
import { untilRandomMoment } from './extent'

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
