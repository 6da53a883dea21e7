import type { ReactNode } from 'react'
import { Route, Routes } from 'react-router'
import { DocumentApiPage } from './document/document-api-page'
import { DocumentPage } from './document/document-page'
import { DownloadsPage } from './document/downloads-page'
import { FilesPage } from './document/files-page'
import { SqlPage } from './document/sql-page'
import { FirstTable, TableView } from './document/table-view'
import { Layout, NotFound } from './layout/layout'
import { ProfilePage } from './profile/profile-page'
import { ReferencePage } from './reference/reference-page'
import { SitePage } from './sites/site-page'
import { SitesPage } from './sites/sites-page'
import { TrashPage } from './sites/trash-page'

/** Every page of the console, by its address below `/console`. */
export function App(): ReactNode {
  return (
    <Routes>
      <Route element={<Layout />}>
        <Route index element={<SitesPage />} />
        <Route path="sites/:orgId" element={<SitePage />} />
        <Route path="sites/:orgId/trash" element={<TrashPage />} />
        <Route path="profile" element={<ProfilePage />} />
        <Route path="docs/:docId" element={<DocumentPage />}>
          <Route index element={<FirstTable />} />
          <Route path="tables/:tableId" element={<TableView />} />
          <Route path="sql" element={<SqlPage />} />
          <Route path="files" element={<FilesPage />} />
          <Route path="downloads" element={<DownloadsPage />} />
          <Route path="api" element={<DocumentApiPage />} />
        </Route>
        <Route path="api" element={<ReferencePage />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  )
}
