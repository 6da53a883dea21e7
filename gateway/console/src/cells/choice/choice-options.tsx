import type { Option } from '../editing/pick-list'
import { Chip, type ChipStyles } from './chips'

/** Returns options that show choices in their colours. */
export const withChips = (options: readonly Option[], styles: ChipStyles): readonly Option[] =>
  options.map((option) => {
    const style = styles.get(option.key)
    return style ? { ...option, content: <Chip text={option.label} style={style} /> } : option
  })
