import { METHODS } from 'node:http'
import {
  Histogram,
  isMetering,
  Observed,
  secondsBounds,
  together,
} from '@sheaf/kit/telemetry/metrics'
import type { Load } from './limits/load'

const requests = new Histogram<'http.request.method' | 'http.route' | 'http.response.status_code'>(
  {
    name: 'http.server.request.duration',
    description:
      'Duration of requests, from arrival to the last byte of the response, by route template',
    unit: 's',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
  },
  secondsBounds,
)

const load = {
  active: new Observed('gauge', {
    name: 'http.server.active_requests',
    description: 'Requests in progress',
    unit: '{request}',
  }),
  streams: new Observed('gauge', {
    name: 'sheaf.gateway.change_streams',
    description: 'Open change streams',
    unit: '{stream}',
  }),
  waiting: new Observed('gauge', {
    name: 'sheaf.gateway.waiting_requests',
    description: 'Requests that wait for a home of their document',
    unit: '{request}',
  }),
  bodies: new Observed('gauge', {
    name: 'sheaf.gateway.bodies',
    description: 'Memory used by request bodies',
    unit: 'By',
  }),
}

const known = new Set(METHODS)

/** The facts of a completed request that metrics record. */
export interface CountedRequest {
  readonly method: string | undefined
  /** Route template; `none` without a match. */
  readonly route: string
  readonly status: number
  readonly ms: number
}

/** Counts a completed request. */
export function countRequest({ method = '', route, status, ms }: CountedRequest): void {
  if (!isMetering()) return
  requests.record(ms / 1_000, {
    'http.request.method': known.has(method) ? method : '_OTHER',
    'http.route': route,
    'http.response.status_code': status,
  })
}

/** Exposes the gateway's current load, until disposed of. */
export function observeLoad(inHand: Load): Disposable {
  return together([
    load.active.observe((report) => report(inHand.active)),
    load.streams.observe((report) => report(inHand.changeStreams.used)),
    load.waiting.observe((report) => report(inHand.waiting)),
    load.bodies.observe((report) => report(inHand.bodyBytes)),
  ])
}
