import { useEffect, useId, type ReactNode } from 'react'

interface PageProps {
  readonly title: string
  /** Breadcrumb above the title. */
  readonly breadcrumb?: ReactNode
  /** Buttons next to the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sheaf`
  }, [title])
}

/** A page with a title. */
export function Page({ title, breadcrumb, actions, children }: PageProps): ReactNode {
  useTitle(title)
  return (
    <main className="page" id="main" tabIndex={-1}>
      {breadcrumb !== undefined && (
        <nav className="above" aria-label="Breadcrumb">
          {breadcrumb}
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

/** A titled section of a page. */
export function Section(props: {
  readonly title: string
  readonly description?: ReactNode
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
      {props.description !== undefined && <p className="note">{props.description}</p>}
      {props.children}
    </section>
  )
}
