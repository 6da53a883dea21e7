import type { ReactElement } from 'react'
import { Route } from 'react-router'
import { lazyPage } from '../components/lazy-component'
import { FirstTable, TableView } from './table-view'

const FormulasPage = lazyPage(async () => (await import('../formulas/formulas-page')).FormulasPage)
const HistoryPage = lazyPage(async () => (await import('../history/history-page')).HistoryPage)
const WebhookFormPage = lazyPage(
  async () => (await import('../webhooks/webhook-form-page')).WebhookFormPage,
)
const WebhookPage = lazyPage(async () => (await import('../webhooks/webhook-page')).WebhookPage)
const WebhooksPage = lazyPage(async () => (await import('../webhooks/webhooks-page')).WebhooksPage)
const DocumentApiPage = lazyPage(async () => (await import('./document-api-page')).DocumentApiPage)
const DownloadsPage = lazyPage(async () => (await import('./downloads-page')).DownloadsPage)
const FilesPage = lazyPage(async () => (await import('./files-page')).FilesPage)
const SqlPage = lazyPage(async () => (await import('./sql-page')).SqlPage)

/** The routes of a document, relative to its URL. */
export const documentRoutes: ReactElement = (
  <>
    <Route index element={<FirstTable />} />
    <Route path="tables/:tableId" element={<TableView />} />
    <Route path="sql" element={<SqlPage />} />
    <Route path="files" element={<FilesPage />} />
    <Route path="downloads" element={<DownloadsPage />} />
    <Route path="formulas" element={<FormulasPage />} />
    <Route path="webhooks" element={<WebhooksPage />} />
    <Route path="webhooks/new" element={<WebhookFormPage />} />
    <Route path="webhooks/:webhookId" element={<WebhookPage />} />
    <Route path="webhooks/:webhookId/edit" element={<WebhookFormPage />} />
    <Route path="history" element={<HistoryPage />} />
    <Route path="api" element={<DocumentApiPage />} />
  </>
)
