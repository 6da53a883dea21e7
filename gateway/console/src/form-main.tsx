import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { CrashBoundary } from './layout/crash-boundary'
import { PublicForm } from './public-form/public-form'
import './styles/form-page.css'

/* The page `/forms/<key>`, which is not part of the console: it needs no account, and loads nothing but what a form needs. */

const root = document.getElementById('root')
if (!root) throw new Error('element #root not found')
const [, , formKey = ''] = window.location.pathname.split('/')
createRoot(root).render(
  <StrictMode>
    <CrashBoundary>
      <PublicForm formKey={decodeURIComponent(formKey)} />
    </CrashBoundary>
  </StrictMode>,
)
