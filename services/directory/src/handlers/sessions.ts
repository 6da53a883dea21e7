import { requireSystem } from '@sheaf/auth/require-access'
import { cutText } from '@sheaf/kit/truncate-text'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  LinkOrigin,
  type CreateSignInLinkRequest,
  type EndAllSessionsRequest,
  type EndSessionRequest,
  type GetSignInLinkRequest,
  type ListSessionsRequest,
  type NewSession,
  type RedeemSignInLinkRequest,
  type Session,
  type SessionsService,
  type StartSessionRequest,
} from '@sheaf/protos/sheaf/directory/v1/sessions'
import { defaultName, isName, readEmail } from '../access/names'
import { createSignInToken, hashSignInToken, isSignInToken } from '../access/sign-in-tokens'
import type { Context } from '../context'
import * as rows from '../db/sessions'
import { endLinksOf, findLink, insertLink, MAX_LINKS, useLink } from '../db/sign-in-links'
import { completeUser, ensureUser, findUserByEmail } from '../db/users'
import { credentialOwner, requireCredentialOwner } from './credential-owner'
import { userNotFound } from './errors'
import { requireOrdinaryUser } from './users'
import { isRowId } from './workspaces'

/** Enough time to read a mail, while links in old mails have expired. */
const LINK_SECONDS = 15 * 60
const MAX_NEXT = 2048
const MAX_USER_AGENT = 256

/** Handlers of SessionsService. */
export const sessions = (ctx: Context): SessionsService => ({
  async createSignInLink(request: CreateSignInLinkRequest, call: ServerCall) {
    requireSystem(call)
    const { next } = request
    if (next.length > MAX_NEXT) throw nextTooLong()
    const user = await findUserByEmail(ctx.db, readEmail(request.email))
    if (!user) throw userNotFound()
    const token = createSignInToken('link')
    const origin = request.origin === LinkOrigin.MAIL ? 'mail' : 'operator'
    const link = { hash: hashSignInToken(token), userId: user.id, origin, next } as const
    const end = await ctx.db
      .transaction()
      .execute((trx) => insertLink(trx, { ...link, lifeSeconds: LINK_SECONDS }))
    if (!end)
      throw new AppError(
        'too_many',
        'TOO_MANY_LINKS',
        `a user must not have more than ${MAX_LINKS[origin]} unused sign-in links: use one of them, or retry in 15 minutes`,
      )
    return { token, expiresAt: end.toISOString(), email: user.email }
  },

  async getSignInLink({ token }: GetSignInLinkRequest, call: ServerCall) {
    requireSystem(call)
    const { email } = await getLink(ctx, token)
    return { email }
  },

  async redeemSignInLink(request: RedeemSignInLinkRequest, call: ServerCall) {
    requireSystem(call)
    const { token } = request
    const { email, next } = await getLink(ctx, token)
    // An invited user becomes a full user with a name and a site.
    await completeUser(ctx.db, { email, name: defaultName(email) })
    const hash = hashSignInToken(token)
    const session = await startSession(ctx, email, request, async (trx) => {
      if (!(await useLink(trx, hash))) throw linkEnded()
    })
    return { session, next }
  },

  async startSession(request: StartSessionRequest, call: ServerCall) {
    requireSystem(call)
    const email = readEmail(request.email)
    requireOrdinaryUser(email)
    // The identity provider's name may be invalid, which must not prevent signing in.
    const name = isName(request.name) ? request.name : defaultName(email)
    if (request.mayCreateUser) await ensureUser(ctx.db, { email, name })
    else if (!(await completeUser(ctx.db, { email, name }))) throw userNotFound()
    return { session: await startSession(ctx, email, request) }
  },

  async listSessions(request: ListSessionsRequest, call: ServerCall) {
    const userId = requireCredentialOwner(call, request.userId)
    const listed = await rows.listSessions(ctx.db, userId, hashOf(request.currentToken))
    return { sessions: listed.map(sessionToWire) }
  },

  async endSession({ sessionRef }: EndSessionRequest, call: ServerCall) {
    const owner = credentialOwner(call)
    const ref = readSessionRef(sessionRef)
    if (!ref) return { ended: false }
    const ended = await ctx.changes.change(
      (trx) => rows.endSession(trx, ref, owner),
      (isEnded) => isEnded,
    )
    return { ended }
  },

  async endAllSessions(request: EndAllSessionsRequest, call: ServerCall) {
    const userId = requireCredentialOwner(call, request.userId)
    const ended = await ctx.changes.change(
      async (trx) => {
        await endLinksOf(trx, userId)
        return rows.endSessionsOf(trx, userId, hashOf(request.keptToken))
      },
      (count) => count > 0,
    )
    return { ended }
  },
})

const linkEnded = () =>
  new AppError(
    'not_found',
    'SIGN_IN_LINK_ENDED',
    'the sign-in link has expired or was already used',
  )

const nextTooLong = () =>
  new AppError('invalid', 'INVALID_NEXT', `next must not be longer than ${MAX_NEXT} characters`, {
    field: 'next',
  })

async function getLink(ctx: Context, token: string) {
  const link = isSignInToken('link', token)
    ? await findLink(ctx.db, hashSignInToken(token))
    : undefined
  if (!link) throw linkEnded()
  return link
}

/** Returns the hash of a session token; undefined for a malformed one. */
function hashOf(token: string): Buffer | undefined {
  return isSignInToken('session', token) ? hashSignInToken(token) : undefined
}

type Step = (trx: Parameters<typeof rows.insertSession>[0]) => Promise<void>

/** Parameters of a new session. */
type NewSessionRequest = Pick<StartSessionRequest, 'userAgent' | 'replacedToken'>

/**
 * Starts a session of the user with this email, in one transaction with `first`; ends the one that it
 * replaces.
 */
async function startSession(
  ctx: Context,
  email: string,
  { userAgent, replacedToken }: NewSessionRequest,
  first?: Step,
): Promise<NewSession> {
  const replaced = hashOf(replacedToken)
  const token = createSignInToken('session')
  const made = await ctx.changes.change(
    async (trx) => {
      await first?.(trx)
      const user = await findUserByEmail(trx, email)
      const row =
        user &&
        (await rows.insertSession(trx, {
          userId: user.id,
          hash: hashSignInToken(token),
          userAgent: cutText(userAgent, MAX_USER_AGENT),
          ...ctx.sessions,
        }))
      if (!row) throw userNotFound()
      const isReplaced =
        replaced !== undefined && (await rows.endSession(trx, { hash: replaced }, undefined))
      const surplus = await rows.endSurplusSessions(trx, row.user_id)
      return { row, isEnding: isReplaced || surplus > 0 }
    },
    // A new session revokes nothing; ending the replaced one does.
    ({ isEnding }) => isEnding,
  )
  const { row } = made
  return { token, email, session: sessionToWire(row), lastsUntil: row.lasts_until.toISOString() }
}

/** Parses a session reference; undefined for anything else. */
function readSessionRef(ref: EndSessionRequest['sessionRef']): rows.SessionRef | undefined {
  if (ref === undefined)
    throw new AppError('invalid', 'SESSION_REF_NEEDED', 'session_ref must name a session', {
      field: 'session_ref',
    })
  if (ref.$case === 'sessionId') return isRowId(ref.value) ? { id: ref.value } : undefined
  const hash = hashOf(ref.value)
  return hash && { hash }
}

function sessionToWire(row: rows.SessionRow): Session {
  return {
    id: row.id,
    userId: row.user_id,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    userAgent: row.user_agent,
    isCurrent: row.is_current ?? false,
  }
}
