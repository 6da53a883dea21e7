import type { ReactNode } from 'react'
import type { State } from './webhook-state'

/** A badge for a state. */
export function StateBadge({ state: { label, tone } }: { readonly state: State }): ReactNode {
  return <span className={`badge ${tone}`}>{label}</span>
}
