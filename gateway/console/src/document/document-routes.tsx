import type { ReactElement } from 'react'
import { Route } from 'react-router'
import { FormulasPage } from '../formulas/formulas-page'
import { HistoryPage } from '../history/history-page'
import { WebhookFormPage } from '../webhooks/webhook-form-page'
import { WebhookPage } from '../webhooks/webhook-page'
import { WebhooksPage } from '../webhooks/webhooks-page'
import { DocumentApiPage } from './document-api-page'
import { DownloadsPage } from './downloads-page'
import { FilesPage } from './files-page'
import { SqlPage } from './sql-page'
import { FirstTable, TableView } from './table-view'

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
