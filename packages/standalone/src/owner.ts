import { openOperator, type OperatorTarget } from '@sheaf/cli/operator'
import { signInLink } from '@sheaf/cli/sign-in-link'
import { toAppError } from '@sheaf/kit/errors'

/** The owner's credentials: a key, if it was just created, and a one-time sign-in link. */
export interface OwnerAccess {
  readonly key?: string
  /** Absent when they have the maximum number of open links, which must not prevent a start. */
  readonly signInLink?: string
}

/**
 * Creates the owner and a key unless they exist and, if the limit of open links permits, a sign-in link to
 * the gateway at that address.
 */
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
