/** Why Sheaf cannot start, in one sentence for the operator; shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** A port that was free a moment ago is not any more: with other ports the start may succeed. */
export class PortTakenError extends StartError {}
