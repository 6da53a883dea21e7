import {
  Server,
  type ServerCredentials,
  type ServiceDefinition,
  type UntypedHandleCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import type { Authenticator, HandlerMethod } from '../rpc/server-call'
import { CallScope } from '../rpc/call-scope'
import type { Logger } from '../logger'
import { serverCredentials, type TlsFiles } from '../tls'
import { TransportServer } from '../multiplex/server'
import { addReflection } from './reflection'
import { createHandler } from './handlers'

/** How long running calls may continue while the server stops. */
const DRAIN_MS = 10_000

/** A service with its handlers, ready to be served. */
export interface ServedService {
  readonly definition: ServiceDefinition
  readonly methods: Readonly<Record<string, HandlerMethod | undefined>>
  readonly open: ReadonlySet<string>
}

/**
 * Pairs a service with its handlers. RPCs without a handler answer UNIMPLEMENTED.
 * @param options.open methods (camelCase) that need no caller token
 */
export function serve(
  definition: ServiceDefinition,
  implementation: object,
  options: { open?: readonly string[] } = {},
): ServedService {
  return {
    definition,
    methods: implementation as Record<string, HandlerMethod | undefined>,
    open: new Set(options.open),
  }
}

/** Options of `startGrpcServer`. */
export interface GrpcServerOptions {
  /** `host:port`; port 0 takes a free one. */
  readonly listen: string
  /** Certificates for mutual TLS: clients without one are rejected. Plain text when absent. */
  readonly tls?: TlsFiles
  /** `host:port` that serves only health, in plain text, for probes without a certificate. */
  readonly healthListen?: string
  readonly services: readonly ServedService[]
  readonly verifier: Authenticator
  readonly log: Logger
  /** Maximum size of a request message in bytes; 4 MiB by default, as usual for gRPC. */
  readonly maxMessageBytes?: number
}

/** Full name of the health service, for reflection. */
const HEALTH = 'grpc.health.v1.Health'

/** A running server. Disposing sets health to NOT_SERVING, lets running calls finish, and closes. */
export interface RunningGrpcServer extends AsyncDisposable {
  /** `host:port` with the real port. */
  readonly address: string
  readonly port: number
  /** Sets the health status of a name; '' is the process itself. */
  setHealth(name: string, serving: boolean): void
}

/**
 * Serves these services, over plain gRPC and over streams of TransportService, with health and reflection. Every call must
 * carry a valid caller token, except for open RPCs, health and reflection. Errors are encoded for the wire; those other
 * than AppError are logged here, once.
 */
export async function startGrpcServer(options: GrpcServerOptions): Promise<RunningGrpcServer> {
  const { listen, services, verifier, log, tls, maxMessageBytes = 4 * 1024 * 1024 } = options
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': -1,
    'grpc-node.flow_control_window': 1024 * 1024,
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 10_000,
  })
  const scope = new CallScope(verifier, log)
  const transport = new TransportServer(scope)
  for (const { definition, methods, open } of services) {
    const handlers: Record<string, UntypedHandleCall> = {}
    for (const [name, method] of Object.entries(definition)) {
      const handle = methods[name]
      if (!handle) continue
      const bound = handle.bind(methods)
      handlers[name] = createHandler(scope, method, bound, open.has(name))
      transport.add({ method, handle: bound, open: open.has(name) })
    }
    server.addService(definition, handlers as UntypedServiceImplementation)
  }
  server.addService(TransportServer.definition, { exchange: transport.exchange })
  const health = new HealthImplementation({ '': 'SERVING' })
  health.addToServer(server)
  const names = services.map(({ definition }) => serviceName(definition))
  addReflection(server, [...names, HEALTH])
  const probed = await serveHealth(health, options.healthListen)
  const port = await bind(server, listen, serverCredentials(tls)).catch((error: unknown) => {
    probed.forceShutdown()
    throw error
  })
  const address = `${listen.slice(0, listen.lastIndexOf(':'))}:${port}`
  log.info({ address }, 'listening')
  return {
    address,
    port,
    setHealth: (name, serving) => health.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING'),
    async [Symbol.asyncDispose]() {
      health.setStatus('', 'NOT_SERVING')
      scope.endOpenStreams()
      transport.drain()
      await Promise.all([drain(server), drain(probed)])
    },
  }
}

function serviceName(definition: ServiceDefinition): string {
  return Object.values(definition)[0]?.path.split('/')[1] ?? ''
}

/** Starts a server of only the health service; without an address it does not listen. */
async function serveHealth(health: HealthImplementation, listen?: string): Promise<Server> {
  const server = new Server()
  health.addToServer(server)
  if (listen !== undefined) await bind(server, listen, serverCredentials(undefined))
  return server
}

function bind(server: Server, listen: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(listen, credentials, (error, port) => {
      if (error) reject(new Error(`cannot listen on ${listen}: ${error.message}`))
      else resolve(port)
    })
  })
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.forceShutdown(), DRAIN_MS)
    server.tryShutdown(() => {
      clearTimeout(force)
      resolve()
    })
  })
}
