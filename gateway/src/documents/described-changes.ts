import type { UserName } from '@sheaf/protos/sheaf/directory/v1/users'
import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import type { Exchange } from '../http/exchange'
import { changeJson } from './change-json'

/** Returns the JSON of each change, with old values and its author. */
export async function describeChanges(
  exchange: Exchange,
  changes: readonly ChangeEvent[],
): Promise<Buffer[]> {
  const users = await findUsers(exchange, changes)
  return changes.map((change) => historyJson(change, users))
}

/** Authors of the changes by user id, without deleted accounts. */
async function findUsers(
  exchange: Exchange,
  changes: readonly ChangeEvent[],
): Promise<ReadonlyMap<number, UserName>> {
  const userIds = [...new Set(changes.map(({ userId }) => userId))].filter((id) => id !== 0)
  if (userIds.length === 0) return new Map()
  const { directory, system } = exchange.context
  const call = exchange.call(await system.token())
  const { users } = await directory.users.listUserNames({ userIds }, call)
  return new Map(users.map((user) => [user.id, user]))
}

function historyJson(change: ChangeEvent, users: ReadonlyMap<number, UserName>): Buffer {
  const { userId: id } = change
  const { name = null, email = null } = users.get(id) ?? {}
  const user = id === 0 ? null : { id, name, email }
  return changeJson(change, { oldValues: true, more: { user } })
}
