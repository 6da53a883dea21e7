import { Component, type ReactNode } from 'react'
import { Button } from '../components/button'

interface CrashBoundaryProps {
  readonly children: ReactNode
}

/** Error boundary: shows a message instead of a blank page when rendering fails. */
export class CrashBoundary extends Component<CrashBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <main className="page" role="alert">
        <h1>Something went wrong</h1>
        <p>Saved changes are not affected. Reload the page to continue.</p>
        <Button kind="primary" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </main>
    )
  }
}
