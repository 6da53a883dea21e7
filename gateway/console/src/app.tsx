import type { ReactNode } from 'react'
import { Route, Routes } from 'react-router'
import { lazyPage } from './components/lazy-component'
import { DocumentPage } from './document/document-page'
import { documentRoutes } from './document/document-routes'
import { Layout, NotFound } from './layout/layout'
import { Palette } from './palette/palette'
import { UnsavedBanner } from './writes/unsaved/unsaved-banner'

const HomePage = lazyPage(async () => (await import('./home/home-page')).HomePage)
const KeyChangesPage = lazyPage(
  async () => (await import('./profile/key-changes-page')).KeyChangesPage,
)
const ProfilePage = lazyPage(async () => (await import('./profile/profile-page')).ProfilePage)
const ReferencePage = lazyPage(
  async () => (await import('./reference/reference-page')).ReferencePage,
)
const SitePage = lazyPage(async () => (await import('./sites/site-page')).SitePage)
const TrashPage = lazyPage(async () => (await import('./sites/trash-page')).TrashPage)

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
