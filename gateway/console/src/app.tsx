import type { ReactNode } from 'react'
import { Route, Routes } from 'react-router'
import { DocumentPage } from './document/document-page'
import { documentRoutes } from './document/document-routes'
import { HomePage } from './home/home-page'
import { Layout, NotFound } from './layout/layout'
import { Palette } from './palette/palette'
import { KeyChangesPage } from './profile/key-changes-page'
import { ProfilePage } from './profile/profile-page'
import { ReferencePage } from './reference/reference-page'
import { SitePage } from './sites/site-page'
import { TrashPage } from './sites/trash-page'
import { UnsavedBanner } from './writes/unsaved-banner'

/** The routes of the console, below `/console`. */
export function App(): ReactNode {
  return (
    <Routes>
      <Route element={<Layout notice={<UnsavedBanner />} search={<Palette />} />}>
        <Route index element={<HomePage />} />
        <Route path="sites/:orgId" element={<SitePage />} />
        <Route path="sites/:orgId/trash" element={<TrashPage />} />
        <Route path="profile" element={<ProfilePage />} />
        <Route path="profile/keys/:keyId" element={<KeyChangesPage />} />
        <Route path="docs/:docId" element={<DocumentPage />}>
          {documentRoutes}
        </Route>
        <Route path="api" element={<ReferencePage />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  )
}
