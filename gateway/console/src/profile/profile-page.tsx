import type { ReactNode } from 'react'
import { Page } from '../components/page'
import { AccountSection } from './account-section'
import { ApiSection } from './api-section'
import { KeysSection } from './keys-section'
import { PersonSection } from './person-section'
import { SessionsSection } from './sessions-section'

/** The profile settings of the user. */
export function ProfilePage(): ReactNode {
  return (
    <Page title="Profile settings">
      <PersonSection />
      <ApiSection />
      <KeysSection />
      <SessionsSection />
      <AccountSection />
    </Page>
  )
}
