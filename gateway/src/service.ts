import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openWith } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { createListener } from './app'
import type { GatewayConfig } from './config'
import { openContext, type ApiPages, type Context } from './context'
import { createApiPages } from './openapi/docs-page'
import { createOpenApiDocument, listServers } from './openapi/openapi'
import { answerClientErrors } from './http/client-errors'
import { observeLoad } from './metrics'
import { routes } from './routes'
import { signInPages } from './routes/sign-in'

/** Filters are part of the URL, which counts as a header. */
const MAX_HEADER_BYTES = 64 * 1024
const SWEEP_MS = 50

/** A running gateway; disposing of it stops it. */
export interface RunningGateway extends AsyncDisposable {
  readonly port: number
  /** Base URL, such as `http://127.0.0.1:8484`. */
  readonly url: string
}

/**
 * Starts the gateway; resolves when it listens. The services behind it need not be ready. Disposing continues
 * to serve for `timeouts.leaveMs`, reported as not ready, and then lets running requests complete within
 * `timeouts.drainMs`.
 */
export function startGateway(config: GatewayConfig): Promise<RunningGateway> {
  return openWith(async (closer) => {
    const log = createLogger('gateway')
    let pages: ApiPages | undefined
    const describeApi = () => (pages ??= createApiPages(createOpenApiDocument(routes), listServers))
    const context = closer.use(await openContext(config, log, describeApi))
    const observed = observeLoad(context.load)
    closer.defer(() => observed[Symbol.dispose]())
    const server = createHttpServer(context)
    const port = await listen(server, config)
    closer.defer(() => drain(server, context))
    const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
    log.info({ url }, 'listening')
    return { port, url, [Symbol.asyncDispose]: () => closer.close() }
  })
}

function createHttpServer(context: Context): Server {
  const { headersMs, receiveMs, keepAliveMs, streamMs } = context.config.timeouts
  const { listener, classes } = createListener(context, [...routes, ...signInPages])
  const server = createServer(
    {
      ...classes,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersMs,
      // Uploads may take as long as downloads; each route has its own time limit, which is shorter for most.
      requestTimeout: Math.max(receiveMs, streamMs),
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(5_000, headersMs),
    },
    listener,
  )
  // The body is requested when it is needed, after access has been granted.
  server.on('checkContinue', listener)
  answerClientErrors(server, context.log)
  return server
}

function listen(server: Server, { host, port }: GatewayConfig): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/**
 * Closes connections after their current response and reports not ready; after `leaveMs` accepts no new
 * connections, and waits for responses in progress. Closing at once would break requests in transit, on
 * kept-alive connections or from clients that have not seen the change of readiness yet.
 */
async function drain(server: Server, context: Context): Promise<void> {
  context.drain()
  const { leaveMs, drainMs } = context.config.timeouts
  if (leaveMs > 0) await delay(leaveMs)
  await close(server, drainMs)
}

function close(server: Server, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), drainMs)
    // A response that had begun before did not carry `Connection: close`.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
    server.close(() => {
      clearTimeout(force)
      clearInterval(sweep)
      resolve()
    })
  })
}
