import type { ReactNode } from 'react'
import { useHref } from 'react-router'
import { CopyText } from '../components/copy-text'

/** The address of a page of the console, for people with access. */
export function ShareLink({ page }: { readonly page: string }): ReactNode {
  const href = useHref(page)
  return (
    <section className="share-link">
      <p className="note">
        Sheaf sends no email. Pass this link on; it works for everyone who has access.
      </p>
      <CopyText label="link" text={new URL(href, window.location.href).href} />
    </section>
  )
}
