import { IncomingMessage, ServerResponse } from 'node:http'

/** What a module exports, as `require` returns it. */
export type Exports = Record<string, unknown>

/** A piece of code that exists for its speed alone, and the plain code that does the same. */
export interface Optimization {
  /** The name by which `--only` selects it. */
  readonly name: string
  /** What the optimized code does. */
  readonly what: string
  /** The workloads that it was written for, by name. */
  readonly workloads: readonly string[]
  /** End of the path of the compiled module that contains it. */
  readonly module: string
  /** The exports that `disable` replaces. */
  readonly exports: readonly string[]
  /** Replaces them in the module that has just been loaded. */
  readonly disable: (exports: Exports) => void
}

/** Measured by `measure.ts` itself: pages of another document while one client reads the table again and again. */
export const PAGE_BESIDE = 'limit=100 beside full reads'
/** A route that Express matches, also measured by `measure.ts` itself. */
export const PROFILE = 'read the own profile, 8 clients'
const PAGE = 'fetch limit=100, 8 clients'
const ADD_ONE = 'add one record, 8 clients'
const ADD_ONE_32 = 'add one record, 32 clients'
const BULK = 'bulk add by 500'
const FETCH_ALL = 'fetch all records'

/** What ts-proto generates for a message. */
interface Encoder {
  encode(message: unknown): { finish(): Uint8Array }
}

/** Cancels requests with an AbortSignal, as Node's own interfaces do. */
class CancellationBySignal extends AbortController {
  get aborted(): boolean {
    return this.signal.aborted
  }

  get reason(): unknown {
    return this.signal.reason as unknown
  }

  addEventListener(type: 'abort', listener: () => void): void {
    this.signal.addEventListener(type, listener)
  }

  removeEventListener(type: 'abort', listener: () => void): void {
    this.signal.removeEventListener(type, listener)
  }
}

interface Call {
  readonly id: number
}

/** Calls in flight in a Map. */
class CallMap {
  private readonly calls = new Map<number, Call>()

  get size(): number {
    return this.calls.size
  }

  get(id: number): Call | undefined {
    return this.calls.get(id)
  }

  add(call: Call): void {
    this.calls.set(call.id, call)
  }

  delete(call: Call): void {
    this.calls.delete(call.id)
  }

  list(): Call[] {
    return [...this.calls.values()]
  }
}

/** The optimizations that can be switched off, each with the code it replaces. */
export const optimizations: readonly Optimization[] = [
  {
    name: 'request prototypes',
    what: 'requests and responses are created with the prototypes that Express would set on each',
    workloads: [PROFILE],
    module: 'gateway/dist/http/express-classes.js',
    exports: ['createExpressClasses'],
    disable: (exports: Exports): void => {
      exports.createExpressClasses = () => ({ IncomingMessage, ServerResponse })
    },
  },
  {
    name: 'routes before Express',
    what: 'the most frequent routes are matched before Express runs its middleware',
    workloads: [PAGE, ADD_ONE_32],
    module: 'gateway/dist/routing/hot-routes.js',
    exports: ['createHotMatcher'],
    disable: (exports: Exports): void => {
      exports.createHotMatcher = () => () => undefined
    },
  },
  {
    name: 'cancellation',
    what: 'requests are cancelled by an object of our own instead of an AbortSignal',
    workloads: [PAGE, ADD_ONE],
    module: 'gateway/dist/http/cancellation.js',
    exports: ['Cancellation'],
    disable: (exports: Exports): void => {
      exports.Cancellation = CancellationBySignal
    },
  },
  {
    name: 'response pacing',
    what: 'table-sized responses pause while short requests arrive',
    workloads: [PAGE_BESIDE],
    module: 'gateway/dist/limits/response-pacing.js',
    exports: ['ResponsePacer'],
    disable: (exports: Exports): void => {
      const { prototype } = exports.ResponsePacer as { prototype: Exports }
      prototype.pace = () => undefined
    },
  },
  {
    name: 'multiplexed calls',
    what: 'calls between two processes share one stream',
    workloads: [PAGE, ADD_ONE, ADD_ONE_32],
    module: 'packages/kit/dist/grpc/client.js',
    exports: ['openChannel'],
    disable: (exports: Exports): void => {
      const open = exports.openChannel as (options: object) => unknown
      exports.openChannel = (options: object) => open({ ...options, multiplexed: false })
    },
  },
  {
    name: 'call table',
    what: 'calls in flight are kept in an array of slots instead of a Map',
    workloads: [PAGE, ADD_ONE_32],
    module: 'packages/kit/dist/multiplex/call-table.js',
    exports: ['CallTable'],
    disable: (exports: Exports): void => {
      exports.CallTable = CallMap
    },
  },
  {
    name: 'scratch buffers',
    what: 'messages are encoded in memory that is reused',
    workloads: [ADD_ONE, BULK],
    module: 'protos/dist/bytes.js',
    exports: ['encodeBytes', 'asBuffer'],
    disable: (exports: Exports): void => {
      const asBuffer = exports.asBuffer as (bytes: Uint8Array) => Buffer
      exports.encodeBytes = (messages: Encoder, message: unknown) =>
        asBuffer(messages.encode(message).finish())
    },
  },
  {
    name: 'patched generated code',
    what: 'bytes in messages, and encoded messages, are views instead of copies',
    workloads: [FETCH_ALL, BULK],
    module: 'protos/dist/bytes.js',
    exports: ['encodeBytes', 'asBuffer'],
    disable: (exports: Exports): void => {
      const encode = exports.encodeBytes as (messages: Encoder, message: unknown) => Buffer
      exports.encodeBytes = (messages: Encoder, message: unknown) =>
        Buffer.from(encode(messages, message))
      exports.asBuffer = (bytes: Uint8Array) => Buffer.from(bytes)
    },
  },
  {
    name: 'read cache',
    what: 'small responses are kept until the next write',
    workloads: [PAGE],
    module: 'services/document-data/dist/store/documents/read-cache.js',
    exports: ['ReadCache'],
    disable: (exports: Exports): void => {
      const { prototype } = exports.ReadCache as { prototype: Exports }
      prototype.get = (_plan: unknown, read: () => Buffer) => read()
    },
  },
]
