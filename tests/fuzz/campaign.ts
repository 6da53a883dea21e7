import fc from 'fast-check'
import { changesNothing, findFaults, show } from './judge'
import type { FuzzRequest } from './requests'
import type { Places, Sender } from './send'

// SHEAF_FUZZ_SECONDS sets a longer duration; a longer campaign starts from a random seed, unless
// SHEAF_FUZZ_SEED sets it.
const { SHEAF_FUZZ_SECONDS, SHEAF_FUZZ_SEED, SHEAF_FUZZ_PATH } = process.env
const isLong = SHEAF_FUZZ_SECONDS !== undefined

/** Disables the rate limit, since rejections would hide the effect of a request. Formulas that do not end stop soon. */
export const patientSettings = { SHEAF_RATE_LIMIT: '0', SHEAF_FORMULA_MS: '5000' }

/** Describes a campaign against routes. */
export interface Campaign {
  /** Duration in seconds, unless a longer one is set. */
  readonly seconds: number
  readonly requests: fc.Arbitrary<FuzzRequest>
  readonly sender: Sender
  /** Creates the objects that the requests refer to, anew for every few requests. */
  readonly prepare: () => Promise<Places>
  /** Everything that requests could change, as text. Throws when it cannot be read. */
  readonly readState: (places: Places) => Promise<string>
}

/** How many requests were accepted, rejected, and cut off. */
export type Tally = Record<'taken' | 'refused' | 'cut', number>

/** Maximum duration of a campaign, in milliseconds, including time to shrink a failure. */
export function limitMs(seconds: number): number {
  return (Number(SHEAF_FUZZ_SECONDS ?? seconds) + 120) * 1000
}

/**
 * Sends requests until time is up. Throws, with seed and path to reproduce it, for the first faulty reply: a
 * 5xx, none, an error without a message or with internals, or a change by a rejected request.
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
    // Also after a change: whatever was accepted, everything must remain readable.
    const after = await readState(places)
    if (changesNothing(request, outcome)) expect({ sent, after }).toEqual({ sent, after: before })
    before = after
  }
}
