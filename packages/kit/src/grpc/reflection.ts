import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type {
  MethodDefinition,
  Server,
  ServerDuplexStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'

const METHOD = 'ServerReflectionInfo'
const versions = ['v1', 'v1alpha'] as const

type Version = (typeof versions)[number]
type Exchange = (stream: ServerDuplexStream<unknown, unknown>) => void

/** One version of the reflection service, as the library implements it. */
interface Reflection {
  readonly method: MethodDefinition<unknown, unknown>
  readonly exchange: Exchange
}

/**
 * Adds server reflection (v1 and v1alpha) for the services with these names. The descriptors are decoded on the first
 * call: decoding takes longer than the rest of the start of a process, and few processes ever receive such a call.
 */
export function addReflection(server: Server, services: readonly string[]): void {
  let loaded: ReadonlyMap<string, Reflection> | undefined
  const load = (version: Version): Reflection => {
    loaded ??= loadReflection([...services])
    const reflection = loaded.get(pathOf(version))
    if (!reflection) throw new Error(`the reflection library does not implement ${version}`)
    return reflection
  }
  for (const version of versions) {
    const method: MethodDefinition<unknown, unknown> = {
      path: pathOf(version),
      requestStream: true,
      responseStream: true,
      requestSerialize: (value) => load(version).method.requestSerialize(value),
      requestDeserialize: (bytes) => load(version).method.requestDeserialize(bytes),
      responseSerialize: (value) => load(version).method.responseSerialize(value),
      responseDeserialize: (bytes) => load(version).method.responseDeserialize(bytes),
    }
    const exchange: Exchange = (stream) => load(version).exchange(stream)
    server.addService({ [METHOD]: method }, { [METHOD]: exchange })
  }
}

function pathOf(version: Version): string {
  return `/grpc.reflection.${version}.ServerReflection/${METHOD}`
}

/** Returns what the library would add to a server, by path. */
function loadReflection(services: string[]): Map<string, Reflection> {
  const found = new Map<string, Reflection>()
  const addService = (
    definition: ServiceDefinition,
    implementation: UntypedServiceImplementation,
  ) => {
    const method = definition[METHOD] as MethodDefinition<unknown, unknown> | undefined
    const exchange = implementation[METHOD] as Exchange | undefined
    if (method && exchange) found.set(method.path, { method, exchange })
  }
  new ReflectionService(loadDescriptors(), { services }).addToServer({ addService })
  return found
}

function loadDescriptors() {
  const protos = dirname(require.resolve('@sheaf/protos/package.json'))
  return loadFileDescriptorSetFromBuffer(readFileSync(join(protos, 'gen', 'descriptors.binpb')))
}
