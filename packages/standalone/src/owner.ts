import { openOperator, type OperatorTarget } from '@sheaf/cli/operator'
import { signInLink } from '@sheaf/cli/sign-in-link'

/** How the owner gets in: with a key, if they and it were made just now, and with a one-time link. */
export interface OwnerAccess {
  readonly key?: string
  readonly signInLink: string
}

/** Makes the owner and a key for them, unless they exist, and in any case a link to the gateway at that address. */
export async function ensureOwner(
  target: OperatorTarget,
  email: string,
  url: string,
): Promise<OwnerAccess> {
  await using operator = openOperator(target)
  const { user, created } = await operator.ensureUser(email)
  const link = signInLink(url, (await operator.createSignInLink(user.email)).token)
  if (!created) return { signInLink: link }
  const { key } = await operator.createKey(user.id, { name: 'first key', mayBeDefault: true })
  return { key, signInLink: link }
}
