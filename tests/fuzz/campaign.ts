import fc from 'fast-check'
import { changesNothing, findFaults, show } from './judge'
import type { FuzzRequest } from './requests'
import type { Places, Sender } from './send'

// SHEAF_FUZZ_SECONDS makes it longer; a longer one begins somewhere else each time, unless SHEAF_FUZZ_SEED says where.
const { SHEAF_FUZZ_SECONDS, SHEAF_FUZZ_SEED, SHEAF_FUZZ_PATH } = process.env
const isLong = SHEAF_FUZZ_SECONDS !== undefined

/** Refuses nothing because there is much of it: that would hide what a request does. */
export const patientSettings = { SHEAF_RATE_LIMIT: '0' }

/** What a test of routes is made of. */
export interface Campaign {
  /** How long it may take, in seconds, when nobody asks for longer. */
  readonly seconds: number
  readonly requests: fc.Arbitrary<FuzzRequest>
  readonly sender: Sender
  /** Makes what the requests are about, fresh for each few of them. */
  readonly prepare: () => Promise<Places>
  /** All that requests could change, as text. Throws when it cannot be read. */
  readonly readState: (places: Places) => Promise<string>
}

/** How often requests were taken, refused, and cut off. */
export type Tally = Record<'taken' | 'refused' | 'cut', number>

/** Longest time for a campaign, in milliseconds: that, and time to make a failure small. */
export function limitMs(seconds: number): number {
  return (Number(SHEAF_FUZZ_SECONDS ?? seconds) + 120) * 1000
}

/**
 * Sends requests until time is up. Throws, with seed and path to do it again, for the first answer that is not as it
 * must be: a 5xx, none, an error without text or with innards, or a change by what was refused.
 */
export async function runCampaign(campaign: Campaign): Promise<Tally> {
  const tally: Tally = { taken: 0, refused: 0, cut: 0 }
  const requests = fc.array(campaign.requests, { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(requests, (sent) => exercise(campaign, sent, tally)),
    {
      seed: Number(SHEAF_FUZZ_SEED ?? (isLong ? Date.now() % 2 ** 31 : 1)),
      path: SHEAF_FUZZ_PATH,
      numRuns: isLong ? Number.MAX_SAFE_INTEGER : 200,
      interruptAfterTimeLimit: Number(SHEAF_FUZZ_SECONDS ?? campaign.seconds) * 1000,
    },
  )
  return tally
}

async function exercise(
  { sender, prepare, readState }: Campaign,
  requests: readonly FuzzRequest[],
  tally: Tally,
): Promise<void> {
  const places = await prepare()
  let before = await readState(places)
  for (const request of requests) {
    const outcome = await sender.send(request, places)
    const kind = outcome.kind === 'cut' ? 'cut' : outcome.status < 400 ? 'taken' : 'refused'
    tally[kind] += 1
    const sent = show(request)
    expect({ sent, faults: findFaults(request, outcome) }).toEqual({ sent, faults: [] })
    // Also after a change: whatever was taken, everything can still be read.
    const after = await readState(places)
    if (changesNothing(request, outcome)) expect({ sent, after }).toEqual({ sent, after: before })
    before = after
  }
}
