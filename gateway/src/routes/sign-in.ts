import { randomBytes } from 'node:crypto'
import { AppError, toAppError } from '@sheaf/kit/errors'
import type { NewSession } from '@sheaf/protos/sheaf/directory/v1/sessions'
import { z } from 'zod'
import { readForm } from '../http/body'
import { csrfTokenOf, isCsrfToken } from '../sign-in/csrf'
import type { Exchange } from '../http/exchange'
import { toSafePath } from '../sign-in/next-path'
import { CALLBACK_PATH, readFlow, writeFlow } from '../sign-in/oidc'
import { sendPage, sendRedirect } from '../pages/send-page'
import { renderLink, renderMailed, renderSignIn } from '../pages/sign-in'
import { style } from '../pages/style'
import { sendBytes } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { notOffered, type SignIn } from '../sign-in/sign-in'

/** Cookie with a secret of the browser, from which the token of its forms is derived. */
const FORM_COOKIE = 'sheaf_sign_in'
const FORM_SECONDS = 24 * 60 * 60
/** Cookie with the state of a sign-in at an identity provider. */
const FLOW_COOKIE = 'sheaf_oidc'
const FLOW_SECONDS = 10 * 60

/** Pages are public, and their errors are pages too. */
const page = { tag: 'pages', access: 'open', isPage: true } as const
const nextQuery = z.object({ next: z.string().optional() })
const tokenQuery = z.object({ token: z.string().default('') })
const success = { description: 'A page', mediaType: 'text/html' }

/** The sign-in pages. They are not part of the API and not in its description. */
export const signInPages: readonly Route[] = [
  defineRoute({
    ...page,
    method: 'get',
    path: '/sign-in',
    id: 'showSignIn',
    summary: 'Show the sign-in page',
    query: nextQuery,
    success,
    async handle(exchange, { query: { next } }) {
      const { oidc, offers } = exchange.context.signIn
      sendPage(
        exchange,
        renderSignIn({
          oidcHost: oidc && new URL(oidc.settings.issuer).hostname,
          isMailOffered: offers.mail,
          next: toSafePath(next),
          formToken: keepFormToken(exchange),
        }),
      )
    },
  }),
  defineRoute({
    ...page,
    method: 'post',
    path: '/sign-in/mail',
    id: 'mailLink',
    summary: 'Request a sign-in link by mail',
    success,
    async handle(exchange) {
      const form = await receiveForm(exchange)
      const email = (form.get('email') ?? '').trim().slice(0, 254)
      exchange.context.signIn.mailLink(exchange.address(), email, toSafePath(form.get('next')))
      sendPage(exchange, renderMailed(email))
    },
  }),
  defineRoute({
    ...page,
    method: 'get',
    path: '/sign-in/link',
    id: 'showLink',
    summary: 'Show which user a link signs in, without using the link',
    query: tokenQuery,
    success,
    async handle(exchange, { query: { token } }) {
      const { signIn, directory } = exchange.context
      signIn.visit(exchange)
      const { email } = await directory.sessions.getSignInLink(
        { token },
        await systemCall(exchange),
      )
      sendPage(exchange, renderLink({ email, token, formToken: keepFormToken(exchange) }))
    },
  }),
  defineRoute({
    ...page,
    method: 'post',
    path: '/sign-in/link',
    id: 'redeemLink',
    summary: 'Sign in with a link',
    success,
    async handle(exchange) {
      const { signIn, directory } = exchange.context
      signIn.visit(exchange)
      const form = await receiveForm(exchange)
      const request = { token: form.get('token') ?? '', ...beginningOf(exchange) }
      const call = await systemCall(exchange)
      const { session, next } = await directory.sessions.redeemSignInLink(request, call)
      enter(exchange, session, next)
    },
  }),
  defineRoute({
    ...page,
    method: 'get',
    path: '/sign-in/oidc',
    id: 'beginOidc',
    summary: 'Redirect to the identity provider',
    query: nextQuery,
    success,
    async handle(exchange, { query: { next } }) {
      const { cookies, headers, context } = exchange
      context.signIn.visit(exchange)
      const oidc = requireOidc(context.signIn)
      const { url, flow } = await oidc.begin(toSafePath(next))
      headers.push('Set-Cookie', cookies.write(FLOW_COOKIE, writeFlow(flow), FLOW_SECONDS))
      sendRedirect(exchange, url)
    },
  }),
  defineRoute({
    ...page,
    method: 'get',
    path: CALLBACK_PATH,
    id: 'finishOidc',
    summary: 'Complete sign-in at the identity provider',
    success,
    async handle(exchange) {
      const { cookies, headers, context, request } = exchange
      context.signIn.visit(exchange)
      const oidc = requireOidc(context.signIn)
      const flow = readFlow(cookies.read(FLOW_COOKIE))
      if (!flow) throw formOld()
      headers.push('Set-Cookie', cookies.write(FLOW_COOKIE, '', 0))
      const identity = await oidc.finish(request.url ?? '', flow)
      const { maySignUp: mayCreateUser } = oidc.settings
      const asked = { ...identity, ...beginningOf(exchange), mayCreateUser }
      const call = await systemCall(exchange)
      const { session } = await context.directory.sessions
        .startSession(asked, call)
        .catch((error: unknown) => {
          throw toAppError(error)?.reason === 'USER_NOT_FOUND' ? notInvited() : error
        })
      enter(exchange, session, flow.next)
    },
  }),
  defineRoute({
    ...page,
    method: 'get',
    path: '/sign-in/style.css',
    id: 'getStyle',
    summary: 'Get the style sheet of the pages',
    success: { description: 'Style sheet', mediaType: 'text/css' },
    async handle(exchange) {
      const cache = 'public, max-age=31536000, immutable'
      sendBytes(exchange, style, { mediaType: 'text/css; charset=utf-8', cache })
    },
  }),
]

/** The start of a session of this browser. A previous session of the browser ends in the same transaction. */
function beginningOf({ request, cookies }: Exchange) {
  return {
    userAgent: request.headers['user-agent'] ?? '',
    replacedToken: cookies.session ?? '',
  }
}

/** A call with the identity of the system. */
async function systemCall(exchange: Exchange) {
  return exchange.call(await exchange.context.system.token())
}

function requireOidc({ oidc }: SignIn) {
  if (!oidc) throw notOffered()
  return oidc
}

/** Returns the token for the form of a page, and sets the cookie that it is verified with. */
function keepFormToken({ cookies, headers }: Exchange): string {
  const known = cookies.read(FORM_COOKIE)
  const secret = known ?? randomBytes(32).toString('base64url')
  if (known === undefined)
    headers.push('Set-Cookie', cookies.write(FORM_COOKIE, secret, FORM_SECONDS))
  return csrfTokenOf(secret)
}

/** Reads a form sent from a Sheaf page in this browser. Throws `forbidden` for any other form. */
async function receiveForm(exchange: Exchange): Promise<URLSearchParams> {
  const form = await readForm(exchange)
  const secret = exchange.cookies.read(FORM_COOKIE)
  if (secret === undefined || !isCsrfToken(form.get('form') ?? '', secret)) throw formOld()
  return form
}

/** Sets the session cookie and redirects to the next page. */
function enter(exchange: Exchange, session: NewSession | undefined, next: string) {
  if (!session) throw new Error('directory began a session without returning it')
  const { cookies, headers } = exchange
  headers.push(
    'Set-Cookie',
    cookies.keepSession(session.token, new Date(session.lastsUntil)),
    'Set-Cookie',
    cookies.write(FORM_COOKIE, '', 0),
  )
  sendRedirect(exchange, toSafePath(next))
}

const formOld = () =>
  new AppError(
    'forbidden',
    'SIGN_IN_FORM_OLD',
    'the form is too old or was not sent from a page in this browser',
  )

const notInvited = () =>
  new AppError('forbidden', 'NOT_INVITED', 'this email address has not been invited')
