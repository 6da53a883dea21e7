import { useState, type ReactNode } from 'react'
import { Link, NavLink, Outlet, useNavigate } from 'react-router'
import { Button } from '../components/button'
import { Icon, type IconName } from '../components/icon'
import { Menu } from '../components/overlays/menu'
import { useToaster } from '../components/toast'
import { leavePage } from '../components/use-leave-guard'
import { useCurrentUser } from '../session/session-provider'
import { signOut } from '../session/sign-out'
import icon from './icon.svg'
import { applyTheme, readTheme, type Theme } from './theme'
import { TopBarSlot } from './top-bar'

const nextTheme: Readonly<Record<Theme, Theme>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
}
const themeIcons: Readonly<Record<Theme, IconName>> = {
  system: 'contrast',
  light: 'sun',
  dark: 'moon',
}

function ThemeButton(): ReactNode {
  const [theme, setTheme] = useState(readTheme)
  const change = () => {
    applyTheme(nextTheme[theme])
    setTheme(nextTheme[theme])
  }
  return (
    <Button
      kind="quiet"
      className="icon"
      aria-label={`Theme: ${theme}. Change theme`}
      title={`Theme: ${theme}`}
      onClick={change}
    >
      <Icon name={themeIcons[theme]} />
    </Button>
  )
}

function UserMenu(): ReactNode {
  const user = useCurrentUser()
  const navigate = useNavigate()
  const { showError } = useToaster()
  const shown = user.name || user.email
  return (
    <Menu
      label={`Account: ${shown}`}
      items={[
        { label: 'Profile settings', onSelect: () => leavePage(() => void navigate('/profile')) },
        { label: 'Sign out', onSelect: () => void signOut(false).catch(showError) },
      ]}
    >
      <span className="avatar" aria-hidden="true">
        {[...shown][0]?.toUpperCase()}
      </span>
      <span className="user-name narrow-hidden">{shown}</span>
    </Menu>
  )
}

interface LayoutProps {
  /** Shown in the header. */
  readonly notice: ReactNode
  /** The button that opens the search, in the header. */
  readonly search: ReactNode
}

/** The frame around every page. */
export function Layout({ notice, search }: LayoutProps): ReactNode {
  const [slot, setSlot] = useState<HTMLElement | null>(null)
  return (
    <TopBarSlot value={slot}>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Link className="brand" to="/">
          <img src={icon} alt="" width="28" height="28" />
          <span className="brand-name narrow-hidden">Sheaf</span>
        </Link>
        <nav aria-label="Main">
          <NavLink to="/" end>
            Home
          </NavLink>
          <NavLink to="/api">API</NavLink>
        </nav>
        <div ref={setSlot} className="top-page" />
        {notice}
        <div className="top-end">
          {search}
          <ThemeButton />
          <UserMenu />
        </div>
      </header>
      <Outlet />
    </TopBarSlot>
  )
}

/** Shown for unknown URLs. */
export function NotFound(): ReactNode {
  return (
    <main className="page" id="main">
      <h1>Page not found</h1>
      <p>
        The address may be wrong. Go to <Link to="/">Home</Link>.
      </p>
    </main>
  )
}
