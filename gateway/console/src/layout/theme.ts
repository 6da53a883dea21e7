/** Light or dark; `system` is what the device says. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'sheaf-theme'

/** The theme that was chosen in this browser. */
export function readTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** Shows a theme, and keeps it for the next time. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  document.documentElement.dataset.theme = theme
}
