/** The reason why Sheaf cannot start, as one sentence for the operator; shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** A port that was free when chosen has been taken: a start with other ports may succeed. */
export class PortTakenError extends StartError {}
