import { codes, type AppError } from '@sheaf/kit/errors'
import { html, type Html } from './html'
import { STYLE_URL } from './style'

/** Renders a complete page as bytes. */
export function renderPage(title: string, content: Html): Buffer {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Sheaf</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${STYLE_URL}" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `
  return Buffer.from(page.text)
}

/** An error as shown to users: a title and the next step. */
interface Advice {
  readonly title: string
  readonly next: Html
}

const again = html`<p><a class="button" href="/sign-in">Back to sign-in</a></p>`

const newLink = html`<p>
    A sign-in link can be used once, within 15 minutes. Request a new one by mail, if available, or
    ask your administrator.
  </p>
  ${again}`

const advices: Readonly<Record<string, Advice>> = {
  SIGN_IN_LINK_ENDED: { title: 'This link is no longer valid', next: newLink },
  SIGN_IN_FORM_OLD: {
    title: 'Please try again',
    next: html`<p>
        The page was open for too long or in another browser, or this browser blocks cookies. If you
        followed a link, open the link again.
      </p>
      ${again}`,
  },
  OIDC_REFUSED: {
    title: 'You are not signed in',
    next: html`<p>You can try again.</p>
      ${again}`,
  },
  OIDC_UNAVAILABLE: {
    title: 'Sign-in is unavailable',
    next: html`<p>Try again in a minute. If the problem persists, contact your administrator.</p>
      ${again}`,
  },
  UNVERIFIED_EMAIL: {
    title: 'Your email address is not verified',
    next: html`<p>Verify the address in your account there, then sign in again.</p>
      ${again}`,
  },
  NOT_INVITED: {
    title: 'You have no account here',
    next: html`<p>
        Ask a user of this Sheaf to share a document with your email address, then sign in again.
      </p>
      ${again}`,
  },
  RATE_LIMITED: {
    title: 'Too many attempts',
    next: html`<p>Wait a minute, then try again.</p>
      ${again}`,
  },
}

const unexpected: Advice = {
  title: 'Something went wrong',
  next: html`<p>Try again in a minute. If the problem persists, contact your administrator.</p>
    ${again}`,
}

/** Renders an error as a page. */
export function renderErrorPage(error: AppError): Buffer {
  const { title, next } = advices[error.reason] ?? unexpected
  const { requestId } = error.metadata
  const id =
    requestId === undefined ? html`` : html`<p class="soft">Error ID: <code>${requestId}</code></p>`
  const message = codes[error.code].http < 500 || error.code === 'unavailable' ? error.message : ''
  const reason = message === '' ? html`` : html`<p>${sentence(message)}</p>`
  return renderPage(title, html`${reason}${next}${id}`)
}

/** Converts an error message, which has no capital and no full stop, to a sentence. */
function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
}
