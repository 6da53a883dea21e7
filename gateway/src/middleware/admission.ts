import type { RequestHandler } from 'express'
import type { SheafResponse } from '../exchange'

/** Takes a request on, or refuses it before anything is done for it. Throws AppError `unavailable`. */
export const admission: RequestHandler = (_request, response, next) => {
  ;(response as SheafResponse).locals.exchange.admit()
  next()
}
