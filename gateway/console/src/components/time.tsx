import type { ReactNode } from 'react'

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Formats a date and time for the reader. */
export const formatTime = (at: string): string => format.format(new Date(at))

/** A localized date and time, or a placeholder for null. */
export function Time(props: { readonly at: string | null; readonly none?: string }): ReactNode {
  const { at, none = '–' } = props
  if (at === null) return none
  return <time dateTime={at}>{formatTime(at)}</time>
}
