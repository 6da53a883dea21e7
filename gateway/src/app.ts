import express, { type Express, type Router } from 'express'
import type { Context } from './context'
import { admission } from './middleware/admission'
import { cors } from './middleware/cors'
import { errorHandler, notFound } from './middleware/error-handler'
import { requestContext } from './middleware/request-context'
import { site } from './middleware/site'
import type { Route } from './route'
import { createRouteHandler } from './run-route'

/**
 * The gateway as an Express application that does not listen. Routes are matched in the order of the table, so those
 * that are asked most come first.
 */
export function createApp(context: Context, routes: readonly Route[]): Express {
  const { baseDomain } = context.config
  const app = express()
  app.disable('x-powered-by')
  app.use(requestContext(context))
  // Probes ask by address, whatever the domain of the sites is.
  app.use(createRouter(routes.filter(({ isProbe }) => isProbe)))
  app.use(admission)
  app.use(site(baseDomain))
  app.use(cors(baseDomain))
  app.use(createRouter(routes.filter(({ isProbe }) => !isProbe)))
  app.use(notFound)
  app.use(errorHandler)
  return app
}

/** A router with these routes and no others. */
export function createRouter(routes: readonly Route[]): Router {
  const router = express.Router({ caseSensitive: true })
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    router[route.method](path, createRouteHandler(route))
  }
  return router
}
