import { openOperator, type OperatorTarget } from '@sheaf/cli/operator'
import { signInLink } from '@sheaf/cli/sign-in-link'
import { toAppError } from '@sheaf/kit/errors'

/** How the owner gets in: with a key, if they and it were made just now, and with a one-time link. */
export interface OwnerAccess {
  readonly key?: string
  /** None when they have as many open ones as one can: that must not keep Sheaf from starting. */
  readonly signInLink?: string
}

/** Makes the owner and a key for them, unless they exist, and, if they can have one, a link to the gateway at that address. */
export async function ensureOwner(
  target: OperatorTarget,
  email: string,
  url: string,
): Promise<OwnerAccess> {
  await using operator = openOperator(target)
  const { user, created } = await operator.ensureUser(email)
  const link = await operator.createSignInLink(user.email).then(
    ({ token }) => signInLink(url, token),
    (error: unknown) => {
      if (toAppError(error)?.reason !== 'TOO_MANY_LINKS') throw error
      return undefined
    },
  )
  if (!created) return { signInLink: link }
  const { key } = await operator.createKey(user.id, { name: 'first key', mayBeDefault: true })
  return { key, signInLink: link }
}
