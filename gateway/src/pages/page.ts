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

/** The text of an error page: what is wrong, and what to do next. */
interface Advice {
  readonly title: string
  readonly next: Html
}

const again = html`<p><a class="button" href="/sign-in">Back to signing in</a></p>`

const newLink = html`<p>
    Each link works once, for 15 minutes. Ask for another one: by mail, if that is offered, or of
    whoever runs this Sheaf.
  </p>
  ${again}`

const advices: Readonly<Record<string, Advice>> = {
  SIGN_IN_LINK_ENDED: { title: 'This link does not work any more', next: newLink },
  SIGN_IN_FORM_OLD: {
    title: 'Please try once more',
    next: html`<p>
        The page was open for long, or was opened in another browser, or this browser keeps no
        cookies. If you came by a link, open the link again.
      </p>
      ${again}`,
  },
  OIDC_REFUSED: {
    title: 'You are not signed in',
    next: html`<p>Nothing has changed. You can try again.</p>
      ${again}`,
  },
  OIDC_UNAVAILABLE: {
    title: 'Signing in is not possible now',
    next: html`<p>
        This is most likely over soon. Try again in a minute; if it stays so, tell whoever runs this
        Sheaf.
      </p>
      ${again}`,
  },
  UNVERIFIED_EMAIL: {
    title: 'Your email address is not confirmed',
    next: html`<p>Confirm your address in your account there, then sign in again.</p>
      ${again}`,
  },
  NOT_INVITED: {
    title: 'You have no account here',
    next: html`<p>
        Ask somebody who uses this Sheaf to share something with your email address, then sign in
        again.
      </p>
      ${again}`,
  },
  RATE_LIMITED: {
    title: 'Too many tries',
    next: html`<p>Wait a minute, then try again.</p>
      ${again}`,
  },
}

const unexpected: Advice = {
  title: 'This did not work',
  next: html`<p>Try again in a minute; if it stays so, tell whoever runs this Sheaf.</p>
    ${again}`,
}

/** Renders an error as a page. */
export function renderErrorPage(error: AppError): Buffer {
  const { title, next } = advices[error.reason] ?? unexpected
  const { requestId } = error.metadata
  const id =
    requestId === undefined
      ? html``
      : html`<p class="soft">Number of this error: <code>${requestId}</code></p>`
  const message = codes[error.code].http < 500 || error.code === 'unavailable' ? error.message : ''
  const reason = message === '' ? html`` : html`<p>${sentence(message)}</p>`
  return renderPage(title, html`${reason}${next}${id}`)
}

/** API messages have neither a capital letter nor a full stop. */
function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
}
