import { z } from 'zod'

/** Minimum and maximum length of a list. */
interface Bounds {
  readonly min: number
  readonly max: number
}

/**
 * A list within bounds. The maximum is checked before the items are: each invalid item costs memory, and a
 * body can hold millions.
 */
export function listOf<T extends z.ZodType>(
  item: T,
  { min, max }: Bounds,
): z.ZodPreprocess<z.ZodArray<T>> {
  return z.preprocess((value, context) => {
    if (Array.isArray(value) && value.length > max)
      context.addIssue({ code: 'custom', message: `has more than ${max} items` })
    return value
  }, z.array(item).min(min))
}
