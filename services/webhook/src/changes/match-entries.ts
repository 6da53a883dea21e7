import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import type { MatchedEntries, MatchedEntry } from '../db/events'
import type { StoredDefinition } from '../db/progress'
import type { Definition } from '../matching/definitions'
import { matchEntry } from '../matching/match'

/** Row changes by table so far, in an entry that spans several pieces. */
export interface OpenEntry {
  readonly seq: number
  readonly rowCounts: ReadonlyMap<number, number>
}

/** Matches entries, in order, with the webhooks of their document. */
export function matchEntries(
  entries: readonly ChangeEvent[],
  webhooks: readonly StoredDefinition[],
  { open, traceparentOf }: { open?: OpenEntry; traceparentOf: (entry: ChangeEvent) => string },
): MatchedEntries & { readonly last?: OpenEntry } {
  let definitions: readonly Definition[] = webhooks
  let last: OpenEntry | undefined
  const matched: MatchedEntry[] = []
  for (const entry of entries) {
    const { seq, timeMs } = entry
    const taking = definitions.map((definition, i) => withoutEvents(definition, webhooks[i], seq))
    const earlier = open?.seq === seq ? open.rowCounts : undefined
    const match = matchEntry(entry, taking, earlier)
    definitions = match.definitions.map((after, i) =>
      seq <= (webhooks[i]?.refsSeq ?? 0) ? (definitions[i] ?? after) : after,
    )
    last = { seq, rowCounts: match.rowCounts }
    if (match.events.length > 0)
      matched.push({ seq, timeMs, traceparent: traceparentOf(entry), events: match.events })
  }
  return { entries: matched, definitions, last }
}

/** A webhook that receives no events of an entry still follows its changes of tables and columns. */
function withoutEvents(
  definition: Definition,
  stored: StoredDefinition | undefined,
  seq: number,
): Definition {
  if (stored?.isEnabled && stored.stoppedSeq === null && seq > stored.afterSeq)
    return { ...definition, kinds: stored.kinds }
  return { ...definition, kinds: [] }
}
