import type { RequestHandler } from 'express'
import type { Context } from '../context'
import { Exchange, type SheafResponse } from '../http/exchange'

/** Gives each request its exchange: its id, its log line, and the signal that ends what is done for it. */
export function requestContext(context: Context): RequestHandler {
  return (request, response, next) => {
    response.locals.exchange = new Exchange(context, request, response as SheafResponse)
    next()
  }
}
