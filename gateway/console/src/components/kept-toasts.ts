/** Returns the toasts that are shown once one is added, at most `max` unless they are errors: those disappear first that would anyway. */
export function withToast<Toast extends { readonly kind: 'done' | 'error' }>(
  shown: readonly Toast[],
  added: Toast,
  max: number,
): readonly Toast[] {
  const surplus = shown.length + 1 - max
  const leaving = new Set(
    shown.filter(({ kind }) => kind === 'done').slice(0, Math.max(0, surplus)),
  )
  return [...shown.filter((toast) => !leaving.has(toast)), added]
}
