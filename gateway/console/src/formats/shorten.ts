/** Returns the beginning of a text that is longer than a number of characters, with an ellipsis. */
export const shorten = (text: string, characters: number): string =>
  text.length > characters ? `${text.slice(0, characters)}…` : text
