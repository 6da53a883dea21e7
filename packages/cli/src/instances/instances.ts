import { ChannelCache } from '@sheaf/kit/grpc/channel-cache'
import { openChannel } from '@sheaf/kit/grpc/client'
import { AccessServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/access'
import {
  HomesServiceClientImpl,
  type Home,
  type HomeDocument,
  type HomesService,
} from '@sheaf/protos/sheaf/directory/v1/homes'
import {
  InstanceServiceClientImpl,
  type InstanceService,
} from '@sheaf/protos/sheaf/document_data/v1/instance'
import { CliError } from '../cli-error'
import { createSystemCall, listHomeDocuments, type OperatorTarget } from '../operator'

/** A document may have to be made from its snapshot by its new instance. */
const MOVE_MS = 120_000
/** A large document has to be stored, or made and checked. */
const STORE_MS = 600_000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The instances of document-data, and the documents on them. Its methods throw the AppError of the services. */
export interface Instances extends AsyncDisposable {
  /** All instances that ever reported, by name. */
  list(): Promise<Home[]>
  /** The instance of this name. Throws CliError when there is none. */
  find(name: string): Promise<Home>
  /** Lets an instance hand over its documents, or have documents again. */
  drain(name: string, drained: boolean): Promise<void>
  /** Hands a document over; resolves when it is served there, to the instance that had it. */
  move(docId: string, to: string): Promise<string>
  /** Yields all documents of an instance, by id, including unpublished ones. */
  listDocuments(home: string): AsyncGenerator<HomeDocument>
  /**
   * Ends the replication of a document, so that it is on the disk of one instance alone; resolves to the name of that.
   * @param to the instance; by default the one that has the document
   */
  release(docId: string, to?: string): Promise<string>
  /** Has a document replicated again that was released; resolves to the name of its instance. */
  adopt(docId: string): Promise<string>
}

/** What calls of the services go through. */
interface Connections {
  readonly homes: HomesService
  readonly channels: ChannelCache<InstanceService>
  readonly asSystem: () => Promise<{ token: string }>
}

/** Opens access to the instances; connects with the first call. */
export function openInstances({ directoryAddress, serviceKey, tls }: OperatorTarget): Instances {
  const channel = openChannel({ address: directoryAddress, tls })
  const channels = new ChannelCache((each) => new InstanceServiceClientImpl(each), { tls })
  const homes = new HomesServiceClientImpl(channel)
  const asSystem = createSystemCall(new AccessServiceClientImpl(channel), serviceKey)
  const connections = { homes, channels, asSystem }
  return {
    list: () => list(connections),
    find: (name) => find(connections, name),
    move: (docId, to) => move(connections, docId, to),
    listDocuments: (home) => listHomeDocuments(homes, home, asSystem),
    async release(docId, to) {
      if (to !== undefined) await move(connections, docId, to)
      return release(connections, docId)
    },
    async adopt(docId) {
      const { home, instance } = await locate(connections, docId, 'it cannot adopt documents')
      const call = { ...(await asSystem()), deadline: Date.now() + STORE_MS }
      await instance.adoptDocument({ docId }, call)
      return home
    },
    async drain(name, drained) {
      await homes.drainHome({ name, drained }, await asSystem())
    },
    async [Symbol.asyncDispose]() {
      await channels[Symbol.asyncDispose]()
      await channel[Symbol.asyncDispose]()
    },
  }
}

async function list({ homes, asSystem }: Connections, withDocuments = true): Promise<Home[]> {
  return (await homes.listHomes({ withDocuments }, await asSystem())).homes
}

async function find(connections: Connections, name: string, counts = true): Promise<Home> {
  const found = (await list(connections, counts)).find((home) => home.name === name)
  if (!found) throw new CliError(`there is no instance ${name}; see "instances list"`)
  return found
}

async function assignmentOf({ homes, asSystem }: Connections, docId: string) {
  if (!UUID.test(docId)) throw new CliError(`${docId} is not the UUID of a document`)
  return homes.assignHomeDocument({ docId }, await asSystem())
}

async function move(connections: Connections, docId: string, to: string): Promise<string> {
  const { channels, asSystem } = connections
  const present = await assignmentOf(connections, docId)
  if (present.home === to) return to
  // Before the document is interrupted.
  const target = await find(connections, to, false)
  if (!target.replicated) throw new CliError(`${to} is not replicated and cannot have the document`)
  if (!target.live) throw new CliError(`${to} is not live and cannot have the document`)
  if (target.formatMax < present.format)
    throw new CliError(
      `${to} is of an older release and cannot read the document, which has format ${present.format}`,
    )
  const call = { ...(await asSystem()), deadline: Date.now() + MOVE_MS }
  await channels.at(present.homeAddress).moveDocument({ docId, to }, call)
  return present.home
}

async function release(connections: Connections, docId: string): Promise<string> {
  const known = await locate(connections, docId, 'its documents are on its disk alone already')
  const { home, isDrained, instance } = known
  if (isDrained)
    throw new CliError(
      `${home} is drained and would hand the document over: end that by "instances drain ${home} --cancel"`,
    )
  const call = { ...(await connections.asSystem()), deadline: Date.now() + STORE_MS }
  await instance.releaseDocument({ docId }, call)
  return home
}

/** The instance that a document is assigned to. Throws CliError, with the reason, when it is not replicated. */
async function locate(connections: Connections, docId: string, reason: string) {
  const { home, homeAddress } = await assignmentOf(connections, docId)
  const { replicated, drained: isDrained } = await find(connections, home, false)
  if (!replicated) throw new CliError(`${home} is not replicated: ${reason}`)
  return { home, isDrained, instance: connections.channels.at(homeAddress) }
}
