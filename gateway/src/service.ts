import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openWith } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { createListener } from './app'
import type { GatewayConfig } from './config'
import { openContext, type ApiPages, type Context } from './context'
import { createApiPages } from './openapi/docs-page'
import { createOpenApiDocument } from './openapi/openapi'
import { answerClientErrors } from './http/client-errors'
import { observeLoad } from './metrics'
import { routes } from './routes'
import { signInPages } from './routes/sign-in'

/** Filters come in the URL, which counts as a header. */
const MAX_HEADER_BYTES = 64 * 1024
const SWEEP_MS = 50

/** A gateway that answers requests until it is disposed of. */
export interface RunningGateway extends AsyncDisposable {
  readonly port: number
  /** Where it answers, such as `http://127.0.0.1:8484`. */
  readonly url: string
}

/**
 * Starts the gateway; resolves when it listens. The services behind it need not answer yet. Disposing serves on for
 * `timeouts.leaveMs`, not ready any more, and then lets running requests finish within `timeouts.drainMs`.
 */
export function startGateway(config: GatewayConfig): Promise<RunningGateway> {
  return openWith(async (closer) => {
    const log = createLogger('gateway')
    let pages: ApiPages | undefined
    const describeApi = () => (pages ??= createApiPages(createOpenApiDocument(routes)))
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
      // Uploads may take as long as downloads; each route has a limit of its own, which is shorter for most.
      requestTimeout: Math.max(receiveMs, streamMs),
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(5_000, headersMs),
    },
    listener,
  )
  // The body is asked for when it is wanted, which is after access has been granted.
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
 * Tells the clients of open connections to go after their current answer, and whoever asks that this gateway is not ready;
 * a moment later takes no new connections, and waits for the answers that are under way. Closing at once would meet
 * requests that are on their way, over a kept connection or from somebody who has not heard yet.
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
    // An answer that had begun before has not told its client to go.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
    server.close(() => {
      clearTimeout(force)
      clearInterval(sweep)
      resolve()
    })
  })
}
