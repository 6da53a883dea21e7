import type { Closer } from '@sheaf/kit/lifecycle'
import type { DocumentStore } from '../../store/documents/document-store'
import { Adoptions, type AdoptionsParts } from './adoptions'
import { HandOvers, type HandOverParts } from './hand-overs'
import { HomeBalance, type HomeBalanceParts } from './home-balance'

/** Dependencies of the work on where the documents of an instance are. */
type HomesParts = AdoptionsParts & Omit<HandOverParts, 'adoptions'> & HomeBalanceParts

/** What decides where the documents of an instance are. */
export interface OpenedHomes {
  /** Stores documents outside of the disk that this instance has written without replication. */
  readonly adoptions: Adoptions
  /** Hands documents over to other instances. */
  readonly handOvers: HandOvers
}

/** Begins the work on where the documents of an instance are; `closer` ends it. */
export function openHomes(
  documents: DocumentStore,
  parts: HomesParts,
  closer: Closer,
): OpenedHomes {
  const adoptions = closer.use(new Adoptions(documents, parts))
  const handOvers = closer.use(new HandOvers(documents, { ...parts, adoptions }))
  closer.use(new HomeBalance(documents, handOvers, parts))
  return { adoptions, handOvers }
}
