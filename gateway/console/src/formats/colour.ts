/** A fill, and text on it that is readable: as `#RRGGBB`. */
export interface FillAndInk {
  readonly fill: string
  readonly ink: string
}

/** Red, green and blue, 0 to 1. */
type Rgb = readonly [red: number, green: number, blue: number]

/** The least contrast of text that is readable to most. */
const READABLE = 4.5
const BLACK = '#000000'
const WHITE = '#FFFFFF'
/** Lightness of a fill and its ink in the dark, and their greatest saturation. */
const DARK = { fill: 0.27, ink: 0.88, saturation: 0.6 }

/** True for a colour as `#RRGGBB`. */
export const isColour = (value: unknown): value is string =>
  typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)

/** Returns the contrast of two colours, 1 to 21, as of WCAG. */
export function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** Returns a fill with an ink that is readable on it: the given one if it is, else black or white. */
export function readable(fill: string, ink: string = BLACK): FillAndInk {
  const found = [ink, BLACK, WHITE].find((text) => contrastOf(fill, text) >= READABLE)
  return { fill, ink: found ?? BLACK }
}

/** Returns a dark fill of the same hue, with light text. */
export function darkened(fill: string): FillAndInk {
  const { hue, saturation } = toHsl(toRgb(fill))
  const most = Math.min(saturation, DARK.saturation)
  return readable(toHex(hue, most, DARK.fill), toHex(hue, most, DARK.ink))
}

function toRgb(colour: string): Rgb {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16) / 255
  return [part(1), part(3), part(5)]
}

function luminance(colour: string): number {
  const [red, green, blue] = toRgb(colour).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  ) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function toHsl([red, green, blue]: Rgb): { readonly hue: number; readonly saturation: number } {
  const most = Math.max(red, green, blue)
  const range = most - Math.min(red, green, blue)
  if (range === 0) return { hue: 0, saturation: 0 }
  const sixth =
    most === red
      ? (green - blue) / range
      : most === green
        ? 2 + (blue - red) / range
        : 4 + (red - green) / range
  const lightness = most - range / 2
  return { hue: (sixth * 60 + 360) % 360, saturation: range / (1 - Math.abs(2 * lightness - 1)) }
}

function toHex(hue: number, saturation: number, lightness: number): string {
  const part = (shift: number) => {
    const at = (shift + hue / 30) % 12
    const away = saturation * Math.min(lightness, 1 - lightness)
    const value = lightness - away * Math.max(-1, Math.min(at - 3, 9 - at, 1))
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${part(0)}${part(8)}${part(4)}`.toUpperCase()
}
