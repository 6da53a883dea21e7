import { openOperator, type OperatorTarget } from '@sheaf/cli/operator'

/** Makes the owner and a key for them, unless they exist; answers the key if it was made. */
export async function ensureOwner(
  target: OperatorTarget,
  email: string,
): Promise<string | undefined> {
  await using operator = openOperator(target)
  const { user, created } = await operator.ensureUser(email)
  if (!created) return undefined
  return (await operator.createKey(user.id, { name: 'first key', mayBeDefault: true })).key
}
