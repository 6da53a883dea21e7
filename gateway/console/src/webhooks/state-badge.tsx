import type { ReactNode } from 'react'
import type { State } from './webhook-state'

/** A state as a word that stands out as much as it matters. */
export function StateBadge({ state: { word, tone } }: { readonly state: State }): ReactNode {
  return <span className={`badge ${tone}`}>{word}</span>
}
