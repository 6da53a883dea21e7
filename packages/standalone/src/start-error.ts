/** Why Sheaf cannot start, in one sentence for the operator; shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
