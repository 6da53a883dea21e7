import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { ApiError } from './api/client'
import { App } from './app'
import { ToastProvider } from './components/toast'
import { CrashBoundary } from './layout/crash-boundary'
import { sessionKey, SessionProvider } from './session/session-provider'
import { applyTheme, readTheme } from './layout/theme'
import './styles/index.css'

const MAX_RETRIES = 2

const client = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      const { queryKey } = query
      // Data that was deleted, or is no longer accessible, must not stay visible.
      const isGone = error instanceof ApiError && (error.status === 403 || error.status === 404)
      if (isGone) query.setState({ data: undefined })
      // The session may have ended.
      if (error instanceof ApiError && error.isAuthError && queryKey !== sessionKey)
        void client.invalidateQueries({ queryKey: sessionKey })
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < MAX_RETRIES &&
        error instanceof ApiError &&
        (error.status === 0 || error.status >= 500),
    },
  },
})

applyTheme(readTheme())
const root = document.getElementById('root')
if (!root) throw new Error('element #root not found')
createRoot(root).render(
  <StrictMode>
    <CrashBoundary>
      <QueryClientProvider client={client}>
        <SessionProvider>
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
