import { toAppError } from '@sheaf/kit/errors'
import { ChannelCache } from '@sheaf/kit/grpc/channel-cache'
import type { CallContext } from '@sheaf/protos/call'
import { AccessServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/access'
import { BackupServiceClientImpl as DirectoryBackup } from '@sheaf/protos/sheaf/directory/v1/backup'
import { HomesServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/homes'
import { BackupServiceClientImpl as DocumentBackup } from '@sheaf/protos/sheaf/document_data/v1/backup'
import { BackupServiceClientImpl as WebhookBackup } from '@sheaf/protos/sheaf/webhook/v1/backup'
import { CliError } from '../cli-error'
import { createSystemCall } from '../operator'
import type { CliSettings } from '../settings'
import { getRunFile, readOperatorTarget } from '../target'

/** A document, and the name of the instance that had it when the backup began. */
export interface DocumentLocation {
  readonly docId: string
  readonly home: string
}

/** The services of a running Sheaf that a backup and a restore use. */
export interface BackupServices extends AsyncDisposable {
  readonly directory: DirectoryBackup
  readonly webhook: WebhookBackup
  /** Returns the document-data instance with this name. Throws CliError when it has not reported recently. */
  home(name: string): DocumentBackup
  /**
   * Returns the document-data instance that has a document now; undefined when it was deleted. Without replication that is
   * `home`; otherwise the document may have moved since, and moves when the instance that had it no longer runs.
   */
  homeOf(document: DocumentLocation): Promise<DocumentBackup | undefined>
  /** Returns the context of a call. */
  context(): Promise<CallContext>
}

/** A large file over a slow link takes long; the user can interrupt it. */
const CALL_MS = 6 * 3600_000
/** An instance that has not reported for this long is not running. */
const LIVE_MS = 60_000

/** Connects to all services of the Sheaf in the settings. Throws CliError when it is unreachable. */
export async function openBackupServices(settings: CliSettings): Promise<BackupServices> {
  const { directoryAddress, serviceKey, tls } = await readOperatorTarget(settings)
  const webhookAddress = await readWebhookAddress(settings)
  const channels = new ChannelCache((channel) => channel, { tls })
  const asSystem = createSystemCall(
    new AccessServiceClientImpl(channels.at(directoryAddress)),
    serviceKey,
  )
  const context = async () => ({ ...(await asSystem()), deadline: Date.now() + CALL_MS })
  const close = () => channels[Symbol.asyncDispose]()
  const listed = new HomesServiceClientImpl(channels.at(directoryAddress))
  const { homes } = await asSystem()
    .then((token) => listed.listHomes({ withDocuments: false }, token))
    .catch(async (error: unknown) => {
      await close()
      throw error
    })
  const getHome = (name: string) => {
    const home = homes.find((known) => known.name === name)
    if (!home || Date.parse(home.reportedAt) < Date.now() - LIVE_MS)
      throw new CliError(`the document-data instance ${name} has documents and is not running`)
    return new DocumentBackup(channels.at(home.address))
  }
  return {
    directory: new DirectoryBackup(channels.at(directoryAddress)),
    webhook: new WebhookBackup(channels.at(webhookAddress)),
    home: getHome,
    async homeOf({ docId, home }) {
      if (!homes.find(({ name }) => name === home)?.replicated) return getHome(home)
      try {
        const { homeAddress } = await listed.assignHomeDocument({ docId }, await asSystem())
        return new DocumentBackup(channels.at(homeAddress))
      } catch (error) {
        if (toAppError(error)?.code === 'not_found') return undefined
        throw error
      }
    },
    context,
    [Symbol.asyncDispose]: close,
  }
}

async function readWebhookAddress(settings: CliSettings): Promise<string> {
  if (settings.webhookAddress !== undefined) return settings.webhookAddress
  if (settings.directoryAddress !== undefined)
    throw new CliError('SHEAF_WEBHOOK_ADDRESS is required if SHEAF_DIRECTORY_ADDRESS is set', 2)
  return (await getRunFile(settings)).addresses.webhook
}
