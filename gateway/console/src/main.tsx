import { NotFoundError, PermissionError } from '@sheaf/client'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { hasEnded } from './api/session'
import { App } from './app'
import { ToastProvider } from './components/toast'
import { guardHistory } from './components/use-leave-guard'
import { preloadPage } from './document/preload-page'
import { CrashBoundary } from './layout/crash-boundary'
import { SessionProvider } from './session/session-provider'
import { applyTheme, readTheme } from './layout/theme'
import { useUnsaved } from './writes/outbox'
import './styles/index.css'

const client = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      // Data that was deleted, or is no longer accessible, must not stay visible.
      const isGone = error instanceof PermissionError || error instanceof NotFoundError
      // After the session has ended, the user may be given it again, with what is not saved in the page.
      if (isGone && !hasEnded()) query.setState({ data: undefined })
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The client repeats calls itself.
      retry: false,
    },
  },
})

preloadPage(client, window.location)
applyTheme(readTheme())
guardHistory()
const root = document.getElementById('root')
if (!root) throw new Error('element #root not found')
createRoot(root).render(
  <StrictMode>
    <CrashBoundary>
      <QueryClientProvider client={client}>
        <SessionProvider useUnsaved={useUnsaved}>
          <ToastProvider>
            <BrowserRouter basename="/console">
              <App />
            </BrowserRouter>
          </ToastProvider>
        </SessionProvider>
      </QueryClientProvider>
    </CrashBoundary>
  </StrictMode>,
)
