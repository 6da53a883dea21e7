import type { ReactNode } from 'react'

/** Outlines in a square of 24 units. */
const paths = {
  undo: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  redo: 'm15 14 5-5-5-5M20 9H10a6 6 0 0 0 0 12h3',
} as const

/** An icon without a name of its own, for buttons that have one. */
export function Icon({ name }: { readonly name: keyof typeof paths }): ReactNode {
  return (
    <svg className="glyph" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
