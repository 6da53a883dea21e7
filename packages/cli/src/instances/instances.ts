import { ChannelCache } from '@sheaf/kit/grpc/channel-cache'
import { openChannel } from '@sheaf/kit/grpc/client'
import { AccessServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/access'
import { HomesServiceClientImpl, type Home } from '@sheaf/protos/sheaf/directory/v1/homes'
import { InstanceServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/instance'
import { CliError } from '../cli-error'
import { createSystemCall, type OperatorTarget } from '../operator'

/** A document may have to be made from its snapshot by its new instance. */
const MOVE_MS = 120_000
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
}

/** Opens access to the instances; connects with the first call. */
export function openInstances({ directoryAddress, serviceKey, tls }: OperatorTarget): Instances {
  const channel = openChannel({ address: directoryAddress, tls })
  const channels = new ChannelCache((each) => new InstanceServiceClientImpl(each), { tls })
  const homes = new HomesServiceClientImpl(channel)
  const asSystem = createSystemCall(new AccessServiceClientImpl(channel), serviceKey)
  const list = async () => (await homes.listHomes({ withDocuments: true }, await asSystem())).homes
  const find = async (name: string) => {
    const found = (await list()).find((home) => home.name === name)
    if (!found) throw new CliError(`there is no instance ${name}; see "instances list"`)
    return found
  }
  return {
    list,
    find,
    async drain(name, drained) {
      await homes.drainHome({ name, drained }, await asSystem())
    },
    async move(docId, to) {
      if (!UUID.test(docId)) throw new CliError(`${docId} is not the UUID of a document`)
      const present = await homes.assignHomeDocument({ docId }, await asSystem())
      if (present.home === to) return to
      // Before the document is interrupted.
      const target = await find(to)
      if (!target.replicated)
        throw new CliError(`${to} is not replicated and cannot have the document`)
      if (!target.live) throw new CliError(`${to} is not live and cannot have the document`)
      if (target.formatMax < present.format)
        throw new CliError(
          `${to} is of an older release and cannot read the document, which has format ${present.format}`,
        )
      const call = { ...(await asSystem()), deadline: Date.now() + MOVE_MS }
      await channels.at(present.homeAddress).moveDocument({ docId, to }, call)
      return present.home
    },
    async [Symbol.asyncDispose]() {
      await channels[Symbol.asyncDispose]()
      await channel[Symbol.asyncDispose]()
    },
  }
}
