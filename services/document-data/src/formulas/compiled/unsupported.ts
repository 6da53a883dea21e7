/** Thrown while a formula is compiled for what only Python computes; the message names it. */
export class Unsupported extends Error {}
