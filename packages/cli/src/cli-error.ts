/** A failure that the user can act on: printed as one sentence, without a stack. */
export class CliError extends Error {
  /** @param exitCode 1 when the command failed, 2 for incorrect usage */
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message)
    this.name = 'CliError'
  }
}
