/** Where the fault of a file is; absent when it concerns the whole file. */
export interface FaultPlace {
  /** Line of the file, counted from 1. */
  readonly line: number
  /** True when the fault is somewhere after the line, rather than in it. */
  readonly isAfter?: boolean
}

/** Thrown for a file whose content does not match its format. The message describes the fault without quoting values. */
export class MalformedFile extends Error {
  /** @param isTooLarge true when a limit was exceeded; the content may be valid otherwise */
  constructor(
    problem: string,
    readonly place?: FaultPlace,
    readonly isTooLarge = false,
  ) {
    super(problem)
    this.name = 'MalformedFile'
  }
}
