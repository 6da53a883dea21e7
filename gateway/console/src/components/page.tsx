import { useEffect, useId, type ReactNode } from 'react'

interface PageProps {
  readonly title: string
  /** What stands above the title: the way back. */
  readonly above?: ReactNode
  /** Buttons beside the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Names the tab of the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sheaf`
  }, [title])
}

/** A page with its title. */
export function Page({ title, above, actions, children }: PageProps): ReactNode {
  useTitle(title)
  return (
    <main className="page" id="main" tabIndex={-1}>
      {above !== undefined && (
        <nav className="above" aria-label="Breadcrumb">
          {above}
        </nav>
      )}
      <header className="page-head">
        <h1>{title}</h1>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </main>
  )
}

/** A part of a page with a title of its own. */
export function Section(props: {
  readonly title: string
  readonly about?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}): ReactNode {
  const id = useId()
  return (
    <section className="section" aria-labelledby={id} tabIndex={-1}>
      <header className="section-head">
        <h2 id={id}>{props.title}</h2>
        {props.actions !== undefined && <div className="actions">{props.actions}</div>}
      </header>
      {props.about !== undefined && <p className="note">{props.about}</p>}
      {props.children}
    </section>
  )
}
