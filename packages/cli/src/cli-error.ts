/** A failure that the person at the terminal can act on: shown as its one sentence, without a stack. */
export class CliError extends Error {
  /** @param exitCode 1 when the command failed, 2 when it was used wrongly */
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message)
    this.name = 'CliError'
  }
}
