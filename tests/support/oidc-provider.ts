import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Browser, Page } from './browser'

/** A running identity provider. */
export interface OidcProvider extends AsyncDisposable {
  /** Settings of a Sheaf whose users sign in there. */
  readonly env: Readonly<Record<string, string>>
}

/** Starts a provider, in a separate process, for the Sheaf at that address. */
export async function startOidcProvider(publicUrl: string): Promise<OidcProvider> {
  const program = join(__dirname, 'oidc-provider-process.mjs')
  const child = fork(program, [`${publicUrl}/sign-in/oidc/callback`], {
    execArgv: [],
    silent: true,
  })
  const closed = once(child, 'close')
  const ended = closed.then(() => Promise.reject(new Error('the identity provider did not start')))
  const [{ issuer }] = (await Promise.race([once(child, 'message'), ended])) as [{ issuer: string }]
  ended.catch(() => {})
  return {
    env: {
      SHEAF_PUBLIC_URL: publicUrl,
      SHEAF_OIDC_ISSUER: issuer,
      SHEAF_OIDC_CLIENT_ID: 'sheaf',
      SHEAF_OIDC_CLIENT_SECRET: 'a secret of tests',
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await closed
    },
  }
}

/**
 * Signs in at the provider as the given user; returns the page that the browser is redirected to afterwards.
 */
export async function signInAt(browser: Browser, name: string, start: string): Promise<Page> {
  const form = await browser.follow(start)
  let page = await browser.submit(form, { login: name, password: 'any' })
  // Stops at the redirect back to Sheaf, which the test checks.
  while (page.location !== undefined && !page.url.startsWith(browser.base))
    page = await browser.open(new URL(page.location, page.url).href)
  return page
}
