import { Component, type ReactNode } from 'react'
import { Button } from '../components/button'

interface CrashBoundaryProps {
  readonly children: ReactNode
}

/** Shows a page that failed as a sentence instead of nothing at all. */
export class CrashBoundary extends Component<CrashBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <main className="page" role="alert">
        <h1>This page has failed</h1>
        <p>Nothing that was saved is lost. Load it again to go on.</p>
        <Button kind="primary" onClick={() => window.location.reload()}>
          Load again
        </Button>
      </main>
    )
  }
}
