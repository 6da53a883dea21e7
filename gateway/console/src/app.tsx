import type { ReactNode } from 'react'
import { Route, Routes } from 'react-router'
import { DocumentPage } from './document/document-page'
import { FirstTable, TableView } from './document/table-view'
import { Layout, NotFound } from './layout/layout'
import { ProfilePage } from './profile/profile-page'
import { SitesPage } from './sites/sites-page'

/** Every page of the console, by its address below `/console`. */
export function App(): ReactNode {
  return (
    <Routes>
      <Route element={<Layout />}>
        <Route index element={<SitesPage />} />
        <Route path="profile" element={<ProfilePage />} />
        <Route path="docs/:docId" element={<DocumentPage />}>
          <Route index element={<FirstTable />} />
          <Route path="tables/:tableId" element={<TableView />} />
        </Route>
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  )
}
