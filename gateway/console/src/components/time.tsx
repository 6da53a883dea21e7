import type { ReactNode } from 'react'

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A localized date and time, or a placeholder for null. */
export function Time(props: { readonly at: string | null; readonly none?: string }): ReactNode {
  const { at, none = '–' } = props
  if (at === null) return none
  return <time dateTime={at}>{format.format(new Date(at))}</time>
}
