import { ChannelCache } from '@sheaf/kit/grpc/channel-cache'
import { AccessServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/access'
import { HomesServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/homes'
import { BackupServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/backup'
import { createSystemCall } from '../operator'
import type { CliSettings } from '../settings'
import { readOperatorTarget } from '../target'
import type { Finding } from './check-documents'

/** Milliseconds for the snapshot of one document. */
const CALL_MS = 600_000

/** What was found out about the snapshots of an instance. */
export interface SnapshotCheck {
  /** False when its documents are not replicated, and so have no snapshots. */
  readonly isReplicated: boolean
  readonly findings: readonly Finding[]
}

/** Lets an instance read the snapshots of these documents from the store. An instance that does not run is not asked. */
export async function checkSnapshots(
  settings: CliSettings,
  home: string,
  docIds: Iterable<string>,
): Promise<SnapshotCheck> {
  const { directoryAddress, serviceKey, tls } = await readOperatorTarget(settings)
  await using channels = new ChannelCache((channel) => channel, { tls })
  const directory = channels.at(directoryAddress)
  const asSystem = createSystemCall(new AccessServiceClientImpl(directory), serviceKey)
  const { homes } = await new HomesServiceClientImpl(directory).listHomes(
    { withDocuments: false },
    await asSystem(),
  )
  const address = homes.find(({ name }) => name === home)?.address
  if (address === undefined) return { isReplicated: false, findings: [] }
  const instance = new BackupServiceClientImpl(channels.at(address))
  const findings: Finding[] = []
  let isReplicated = false
  for (const docId of docIds) {
    const call = { ...(await asSystem()), deadline: Date.now() + CALL_MS }
    const { replicated, fault } = await instance.verifySnapshot({ docId }, call)
    if (!replicated) break
    isReplicated = true
    if (fault) findings.push({ level: 'error', docId, message: `document ${docId}: ${fault}` })
  }
  return { isReplicated, findings }
}
