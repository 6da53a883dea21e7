/** Remembers the element with the focus. Returns a function that focuses it again, or its container if it was removed. */
export function rememberFocus(): () => void {
  const opener = document.activeElement as HTMLElement | null
  // The action may remove the button that was used.
  const container = opener?.closest<HTMLElement>('[tabindex="-1"]')
  return () => {
    if (opener?.isConnected) opener.focus()
    else container?.focus()
  }
}
