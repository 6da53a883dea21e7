import type { BalancedHome } from '../db/homes'

/** An instance with so much more than the mean hands documents over: by share, and by number. */
const DOCUMENTS_ABOVE = { share: 0.2, number: 2 }
const LOAD_ABOVE = { share: 0.25, number: 0.2 }
/** Documents that are handed over at a time. */
const MAX_DOCUMENTS = 100
/** Share of the load that is handed over at a time: the effect is seen before the next. */
const MAX_LOAD_SHARE = 0.5
/** An instance with less than this share of the most free space of any gets no documents. */
const MUCH_ROOM = 0.5

/** What an instance is to hand over. */
export interface Surplus {
  /** Name of the instance that is to get it; empty for nothing. */
  readonly to: string
  /** Number of documents. */
  readonly documents: number
  /** Share of its load. */
  readonly loadShare: number
}

const nothing: Surplus = { to: '', documents: 0, loadShare: 0 }

/**
 * What an instance is to hand over so that documents, and then load, are spread evenly over these instances. Instances that
 * follow this in any order come to rest: none hands over more than it has above the mean, or than the other one lacks.
 */
export function findSurplus(home: string, homes: readonly BalancedHome[]): Surplus {
  const own = homes.find(({ name }) => name === home)
  if (!own) return nothing
  const most = Math.max(...homes.map(({ freeBytes }) => freeBytes))
  const others = homes.filter((each) => each !== own && each.freeBytes >= most * MUCH_ROOM)
  return findDocuments(own, { homes, others }) ?? findLoad(own, { homes, others }) ?? nothing
}

interface Group {
  readonly homes: readonly BalancedHome[]
  readonly others: readonly BalancedHome[]
}

function findDocuments(own: BalancedHome, { homes, others }: Group): Surplus | undefined {
  const mean = meanOf(homes, 'documents')
  const to = leastOf(others, 'documents')
  if (!to || !isAbove(own.documents, mean, DOCUMENTS_ABOVE)) return undefined
  const documents = Math.floor(Math.min(own.documents - mean, mean - to.documents, MAX_DOCUMENTS))
  return documents > 0 ? { to: to.name, documents, loadShare: 0 } : undefined
}

function findLoad(own: BalancedHome, { homes, others }: Group): Surplus | undefined {
  const mean = meanOf(homes, 'load')
  const to = leastOf(others, 'load')
  if (!to || !isAbove(own.load, mean, LOAD_ABOVE)) return undefined
  const surplus = Math.min(own.load - mean, mean - to.load)
  const loadShare = Math.min(surplus / own.load, MAX_LOAD_SHARE)
  return loadShare > 0 ? { to: to.name, documents: 0, loadShare } : undefined
}

type Figure = 'documents' | 'load'

const meanOf = (homes: readonly BalancedHome[], figure: Figure) =>
  homes.reduce((sum, home) => sum + home[figure], 0) / homes.length

const leastOf = (homes: readonly BalancedHome[], figure: Figure) =>
  homes.reduce<BalancedHome | undefined>(
    (least, home) => (least && least[figure] <= home[figure] ? least : home),
    undefined,
  )

const isAbove = (value: number, mean: number, above: { share: number; number: number }) =>
  value > mean * (1 + above.share) + above.number
