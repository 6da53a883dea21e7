import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { startOidcProvider, type OidcProvider } from '../support/oidc-provider'
import { ownPort } from '../support/own-port'
import { findViolations, useChromium } from './chromium'

const { visit } = useChromium()
let provider: OidcProvider
let sheaf: RunningSheaf
beforeAll(async () => {
  const port = await ownPort()
  provider = await startOidcProvider(`http://127.0.0.1:${port}`)
  const env = { ...provider.env, SHEAF_PORT: String(port), SHEAF_LOOP_DELAY_MS: '60000' }
  sheaf = await startSheaf({ env })
})
afterAll(async () => {
  await sheaf?.[Symbol.asyncDispose]()
  await provider?.[Symbol.asyncDispose]()
})

describe('signing in with an identity provider', () => {
  it('returns to the requested page of the console, and signing out to the sign-in page', async () => {
    await using desk = await visit()
    const { page } = desk
    await page.goto(`${sheaf.url}/console/profile`)
    const start = page.getByRole('link', { name: /^Continue with/ })
    await start.waitFor()
    expect(await findViolations(page)).toEqual([])
    await start.click()
    await page.locator('input[name=login]').fill('erin')
    await page.locator('input[name=password]').fill('any')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${sheaf.url}/console/profile`)
    await page.getByText('erin@example.com').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('erin of the provider')

    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await start.waitFor()
    await page.goto(`${sheaf.url}/console/`)
    await page.waitForURL(/\/sign-in\?next=/)
  })
})
