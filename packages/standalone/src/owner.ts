import { openOperator, type OperatorTarget } from '@sheaf/cli/operator'

/** How the owner gets in: with a key, if they and it were made just now, and with the token of a one-time link. */
export interface OwnerAccess {
  readonly key?: string
  readonly linkToken: string
}

/** Makes the owner and a key for them, unless they exist, and in any case a link. */
export async function ensureOwner(target: OperatorTarget, email: string): Promise<OwnerAccess> {
  await using operator = openOperator(target)
  const { user, created } = await operator.ensureUser(email)
  const { token: linkToken } = await operator.createSignInLink(user.email)
  if (!created) return { linkToken }
  const { key } = await operator.createKey(user.id, { name: 'first key', mayBeDefault: true })
  return { key, linkToken }
}
