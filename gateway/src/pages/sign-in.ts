import { html, type Html } from './html'
import { renderPage } from './page'

/** Hidden fields of every form. */
export interface FormFields {
  /** Proves that the form comes from a page that this server sent to this browser. */
  readonly formToken: string
}

/** The choices on the first page. */
export interface SignInChoice extends FormFields {
  readonly oidcHost?: string
  readonly isMailOffered: boolean
  readonly next: string
}

const hidden = (name: string, value: string) =>
  html`<input type="hidden" name="${name}" value="${value}" />`

/** Renders the page on which users choose how to sign in. */
export function renderSignIn({ oidcHost, isMailOffered, next, formToken }: SignInChoice): Buffer {
  const parts: Html[] = []
  if (oidcHost !== undefined)
    parts.push(
      html`<p>
        <a class="button" href="/sign-in/oidc?next=${encodeURIComponent(next)}"
          >Continue with ${oidcHost}</a
        >
      </p>`,
    )
  if (isMailOffered)
    parts.push(
      html`<form method="post" action="/sign-in/mail">
        ${hidden('form', formToken)}${hidden('next', next)}
        <label for="email">Your email address</label>
        <input
          id="email"
          name="email"
          type="email"
          required
          maxlength="254"
          autocomplete="email"
          spellcheck="false"
        />
        <button class="button" type="submit">Email me a sign-in link</button>
      </form>`,
    )
  parts.push(
    parts.length === 0
      ? html`<p>You sign in with a one-time link. Ask your administrator for one.</p>`
      : html`<p class="soft">Or ask your administrator for a link.</p>`,
    html`<p class="soft">
      Administrators create a link with this command:<br /><code
        >npm run sheaf -- sign-in EMAIL</code
      >
    </p>`,
  )
  return renderPage('Sign in to Sheaf', html`${parts}`)
}

/** Renders the page of a sign-in link, where the user confirms. */
export function renderLink({
  email,
  token,
  formToken,
}: FormFields & { email: string; token: string }): Buffer {
  return renderPage(
    'Sign in to Sheaf',
    html`<p>You will be signed in on this browser as <strong>${email}</strong>.</p>
      <form method="post" action="/sign-in/link">
        ${hidden('form', formToken)}${hidden('token', token)}
        <button class="button" type="submit">Sign in</button>
      </form>
      <p class="soft">If this is not you, close this page.</p>`,
  )
}

/** Renders the page shown after a link was requested. It is the same whether or not the user exists. */
export function renderMailed(email: string): Buffer {
  return renderPage(
    'Check your mail',
    html`<p>
        If <strong>${email}</strong> has an account here, we have sent a sign-in link to it. The
        link can be used once, within 15 minutes.
      </p>
      <p class="soft">No mail? Check the spam folder and the address.</p>
      <p><a href="/sign-in">Use another address</a></p>`,
  )
}
