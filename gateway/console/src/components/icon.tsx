import type { ReactNode } from 'react'

/** Outlines in a square of 24 units. */
const paths = {
  undo: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  redo: 'm15 14 5-5-5-5M20 9H10a6 6 0 0 0 0 12h3',
  text: 'M4 6V4h16v2M12 4v16M9 20h6',
  number: 'M4 9h16M4 15h16M10 3 8 21M16 3l-2 18',
  integer: 'M4 9l3-2v10M13 9.5a2.5 2.5 0 1 1 4.5 1.5L13 17h6',
  checkbox: 'M4 4h16v16H4zM8 12l3 3 5-6',
  date: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3 3',
  choice: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M8 11l4 4 4-4',
  list: 'M4 6h.01M4 12h.01M4 18h.01M9 6h11M9 12h11M9 18h11',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  file: 'm20 11-8 8a5 5 0 0 1-7-7l8-8a3.5 3.5 0 0 1 5 5l-8 8a2 2 0 0 1-3-3l7-7',
  handle: 'M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01',
  any: 'M12 4v16M5 8l14 8M19 8 5 16',
  search: 'M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0M16 16l5 5',
  people: 'M13 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0M2 20a7 7 0 0 1 14 0M19 8v6M16 11h6',
  board: 'M4 5h4v14H4zM10 5h4v9h-4zM16 5h4v12h-4z',
  table: 'M4 5h16v14H4zM4 10h16M10 10v9',
  prompt: 'm5 7 5 5-5 5M12 18h7',
  download: 'M12 4v11M7 10l5 5 5-5M5 20h14',
  upload: 'M12 15V4M7 9l5-5 5 5M5 20h14',
  sum: 'M17 5H7l6 7-6 7h10',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
  code: 'm8 7-5 5 5 5M16 7l5 5-5 5',
  contrast: 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0M12 3v18M16 5v14',
  sun: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1 1M18 18l1 1M5 19l1-1M18 6l1-1',
  moon: 'M20 14A8 8 0 1 1 10 4a6 6 0 0 0 10 10',
  expand: 'M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7',
  up: 'm6 15 6-6 6 6',
  down: 'm6 9 6 6 6-6',
} as const

/** The name of an icon. */
export type IconName = keyof typeof paths

/** An icon without a name of its own, for buttons that have one. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="glyph" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
