import type { RequestListener } from 'node:http'
import { traceRequest } from '@sheaf/kit/telemetry/request-span'
import express, { type Express, type RequestHandler, type Router } from 'express'
import { readConsoleFiles } from './pages/console-files'
import type { Context } from './context'
import { Exchange, type SheafResponse, type Stage } from './http/exchange'
import { createExpressClasses, type ExpressClasses } from './http/express-classes'
import { createHotMatcher } from './routing/hot-routes'
import { consolePages } from './middleware/console'
import { cors } from './middleware/cors'
import { answerThrown, useErrorHandlers } from './middleware/error-handler'
import { singleHost } from './middleware/single-host'
import { site } from './middleware/site'
import { pathsOf, type Route } from './routing/route'
import { createRouteHandler } from './routing/run-route'

/** What a server is created with. */
export interface ServerParts {
  readonly listener: RequestListener
  readonly classes: ExpressClasses
}

/**
 * Creates the request handler of a server. All requests pass the same stages. Hot routes are matched here,
 * since Express costs as much as the rest of the gateway; Express matches everything else, unusual spellings
 * of the same paths included.
 */
export function createListener(context: Context, routes: readonly Route[]): ServerParts {
  const stages = createStages(context)
  const app = createApp(context, routes, stages)
  const all = [singleHost, ...stages]
  const findHot = createHotMatcher(routes.filter(({ isHot }) => isHot))
  const answer: RequestListener = (request, response) => {
    const found = findHot(request.method, request.url)
    if (!found) {
      app(request, response)
      return
    }
    const exchange = new Exchange(context, request, response)
    const run = async () => {
      for (const stage of all) if (stage(exchange)) return
      await found.handle(exchange, found.params)
    }
    run().catch((error: unknown) => answerThrown(exchange, error))
  }
  const listener: RequestListener = (request, response) =>
    traceRequest(request, response, () => answer(request, response))
  return { listener, classes: createExpressClasses(app) }
}

/** The stages between the arrival of a request, which is no probe, and its route, in order. */
function createStages({ config, log }: Context): Stage[] {
  let isWarned = config.proxies > 0
  const admission: Stage = (exchange) => {
    if (!isWarned && exchange.request.headers['x-forwarded-for'] !== undefined) {
      isWarned = true
      log.warn(
        'requests come through a proxy that sends X-Forwarded-For, which is ignored: all clients count as one network. Set SHEAF_PROXIES to the number of proxies',
      )
    }
    exchange.admit()
    return false
  }
  return [admission, site(config.baseDomain), cors(config)]
}

/**
 * Express with all routes. They are matched in the order of the table, so the most frequent ones come first.
 */
function createApp(context: Context, routes: readonly Route[], stages: readonly Stage[]): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(createExchange(context))
  app.use(toMiddleware(singleHost))
  // Probes use IP addresses, whatever the base domain is, and are answered under any load.
  app.use(createRouter(routes.filter(({ isProbe }) => isProbe)))
  for (const stage of stages) app.use(toMiddleware(stage))
  app.use(toMiddleware(consolePages(readConsoleFiles())))
  app.use(createRouter(routes.filter(({ isProbe }) => !isProbe)))
  useErrorHandlers(app, routes)
  return app
}

function toMiddleware(stage: Stage): RequestHandler {
  return (_request, response, next) => {
    if (!stage((response as SheafResponse).locals.exchange)) next()
  }
}

/** Creates a router for the given routes. */
export function createRouter(routes: readonly Route[]): Router {
  const router = express.Router({ caseSensitive: true })
  for (const route of routes) {
    const paths = pathsOf(route).map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'))
    const handle = createRouteHandler(route)
    router[route.method](paths, ({ params }, response) =>
      handle((response as SheafResponse).locals.exchange, params),
    )
  }
  return router
}

/** Creates the exchange of each request: its id, its log line, and its cancellation. */
function createExchange(context: Context): RequestHandler {
  return (request, response, next) => {
    response.locals.exchange = new Exchange(context, request, response as SheafResponse)
    next()
  }
}
