import type { Closer } from '@sheaf/kit/lifecycle'
import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { deleteOldLeases } from '../db/leases'
import type { DirectorySchema } from '../db/schema'
import { AccessChanges } from './access-changes'
import { AccessListener } from './access-listener'
import { EndedHomes } from './ended-homes'
import { HomeAssigner } from './home-assigner'

/** What holders of leases are told of. */
export interface Leases {
  readonly changes: AccessChanges
  readonly endedHomes: EndedHomes
  readonly homeAssigner: HomeAssigner
}

/**
 * Starts listening for changes of access, and looking for leases of instances that have ended; `closer` ends both.
 * @param url the database, with the search path of the service
 */
export async function openLeases(
  db: Kysely<DirectorySchema>,
  url: string,
  { closer, log }: { readonly closer: Closer; readonly log: Logger },
): Promise<Leases> {
  await deleteOldLeases(db)
  const changes = new AccessChanges(db, log)
  await closer.use(new AccessListener(url, (version) => changes.observe(version), log)).connect()
  const endedHomes = new EndedHomes(db, log)
  closer.defer(() => endedHomes[Symbol.dispose]())
  endedHomes.start()
  return { changes, endedHomes, homeAssigner: new HomeAssigner(db) }
}
