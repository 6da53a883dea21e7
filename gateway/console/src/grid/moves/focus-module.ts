import { InfiniteRowModelModule, type Module } from 'ag-grid-community'
import type { FocusTarget, FollowedFocus } from './followed-focus'

/** The parts of AG Grid that are used. They are not part of its API: see `FocusModule`. */
interface Beans {
  readonly gos: { get(name: 'context'): FollowedFocus | undefined }
  readonly eventSvc: {
    addListener(event: string, listener: () => void): void
    removeListener(event: string, listener: () => void): void
  }
  readonly focusSvc: {
    setFocusedCell(
      target: FocusTarget & {
        readonly rowPinned: null
        readonly preventScrollOnBrowserFocus: true
      },
    ): void
  }
}

/** Connects the focus of a grid, which is its `context`, with that of AG Grid. */
class FocusConnection {
  readonly beanName = 'focusConnection'
  private beans: Beans | undefined

  wireBeans(beans: Beans): void {
    this.beans = beans
  }

  postConstruct(): void {
    const focus = this.focus()
    if (!focus) return
    focus.connect((target) =>
      this.beans?.focusSvc.setFocusedCell({
        ...target,
        rowPinned: null,
        preventScrollOnBrowserFocus: true,
      }),
    )
    this.beans?.eventSvc.addListener('cellFocused', focus.onFocus)
  }

  destroy(): void {
    const focus = this.focus()
    if (focus) this.beans?.eventSvc.removeListener('cellFocused', focus.onFocus)
  }

  private focus(): FollowedFocus | undefined {
    return this.beans?.gos.get('context')
  }
}

/**
 * Lets the focus of a grid go with its row. The API of AG Grid reports a focused cell too late, when another row may be at its
 * place, and can move the focus only by scrolling to it, and by taking the keyboard. Tests in a browser fail if an update of AG
 * Grid no longer has these parts.
 */
export const FocusModule = {
  moduleName: 'FocusConnection',
  version: InfiniteRowModelModule.version,
  rowModels: ['infinite'],
  beans: [FocusConnection],
} as unknown as Module
