/** Colour theme. `system` follows the setting of the device. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'sheaf-theme'

/** Returns the theme stored in this browser. */
export function readTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

/** Applies a theme and stores it in this browser. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  document.documentElement.dataset.theme = theme
}
