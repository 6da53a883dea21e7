import { AppError, toAppError, type ErrorCode } from '@sheaf/kit/errors'
import type { ErrorRequestHandler, Express } from 'express'
import { homeUnavailable } from '../clients/document-data-channels'
import type { Exchange, SheafResponse } from '../http/exchange'
import { sendErrorPage } from '../pages/send-page'
import { sendError } from '../http/reply'
import { isRefusedByHome } from '../routing/repeat-call'
import { safeMethods } from '../routing/authenticate'
import { unmatched, type NamedRoute } from './unmatched'

/** Adds the last handlers: for requests that match no route, and for errors thrown by Express handlers. */
export function useErrorHandlers(app: Express, routes: readonly NamedRoute[]): void {
  app.use(unmatched(routes))
  app.use(errorHandler)
}

const errorHandler: ErrorRequestHandler = (thrown: unknown, _request, response, next) => {
  const { exchange } = (response as SheafResponse).locals
  if (exchange) answerThrown(exchange, thrown)
  else next(thrown)
}

/**
 * Converts a thrown value to the error that the client receives. An error that the caller cannot act on is a bug: it is
 * logged here, its text is left out, and the request id to find it by is added.
 */
export function toClientError(exchange: Exchange, thrown: unknown): AppError {
  const cause =
    fromHome(thrown) ?? toAppError(thrown) ?? fromExpress(thrown) ?? fromBug(thrown, exchange)
  return withEffect(withRequestId(withCredential(cause, exchange), exchange), exchange)
}

/** Converts a thrown value to an error response. */
export function answerThrown(exchange: Exchange, thrown: unknown): void {
  const { response } = exchange
  const error = toClientError(exchange, thrown)
  if (response.headersSent) exchange.breakOff()
  else if (response.destroyed) return
  else if (exchange.route?.isPage) sendErrorPage(exchange, error)
  else sendError(exchange, error)
}

/** The refusal of an instance that is not the home of the document is no fault of the client's. */
function fromHome(thrown: unknown): AppError | undefined {
  return isRefusedByHome(thrown) ? homeUnavailable() : undefined
}

/** Errors of Express itself: a malformed escape in the path. */
function fromExpress(thrown: unknown): AppError | undefined {
  if (!(thrown instanceof URIError)) return undefined
  return new AppError('invalid', 'MALFORMED_PATH', thrown.message)
}

function fromBug(thrown: unknown, { context, requestId, route }: Exchange): AppError {
  context.log.error(
    { err: thrown, requestId, route: route?.path },
    'request failed with an internal error',
  )
  return new AppError('internal', 'INTERNAL', 'internal error')
}

/** Errors that a request with a key might not have. */
const needsCredential = new Set(['ACCESS_DENIED', 'SIGN_IN_NEEDED', 'CSRF_HEADER_NEEDED'])
const NO_CREDENTIAL =
  'the request has neither an API key ("Authorization: Bearer <key>") nor a session'

/** Says that the request has no credential where that is probably the cause. */
function withCredential(error: AppError, { credential, request }: Exchange): AppError {
  const isAnonymous = credential === undefined && request.headers.authorization === undefined
  if (!isAnonymous || !needsCredential.has(error.reason)) return error
  return new AppError(error.code, error.reason, `${error.message}; ${NO_CREDENTIAL}`, {
    ...error.metadata,
    credential: 'none',
  })
}

/** Errors after which a client may repeat its request. */
const repeatable = new Set<ErrorCode>(['too_many', 'unavailable', 'timeout'])

/**
 * Adds `details.applied: false` to the refusal of a write that was never begun, so that the client can repeat
 * it. Without it, the effect of the write is unknown.
 */
function withEffect(error: AppError, { isHandled, request }: Exchange): AppError {
  if (isHandled || !repeatable.has(error.code) || safeMethods.has(request.method ?? ''))
    return error
  return new AppError(error.code, error.reason, error.message, {
    ...error.metadata,
    appliedJson: 'false',
  })
}

function withRequestId(error: AppError, { requestId }: Exchange): AppError {
  if (error.code !== 'internal') return error
  return new AppError('internal', error.reason, error.message, { ...error.metadata, requestId })
}
