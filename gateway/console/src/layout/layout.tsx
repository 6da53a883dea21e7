import { useState, type ReactNode } from 'react'
import { Link, NavLink, Outlet, useNavigate } from 'react-router'
import { Button } from '../components/button'
import { Menu } from '../components/menu'
import { useToaster } from '../components/toast'
import { useCurrentUser } from '../session/session-provider'
import { signOut } from '../session/sign-out'
import icon from './icon.svg'
import { applyTheme, readTheme, type Theme } from './theme'

const nextTheme: Readonly<Record<Theme, Theme>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
}
const themeIcons: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' }

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
      <span aria-hidden="true">{themeIcons[theme]}</span>
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
        { label: 'Profile settings', onSelect: () => void navigate('/profile') },
        { label: 'Sign out', onSelect: () => void signOut(false).catch(showError) },
      ]}
    >
      <span className="avatar" aria-hidden="true">
        {[...shown][0]?.toUpperCase()}
      </span>
      <span className="user-name">{shown}</span>
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
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Link className="brand" to="/">
          <img src={icon} alt="" width="28" height="28" />
          <span>Sheaf</span>
        </Link>
        <nav aria-label="Main">
          <NavLink to="/" end>
            Home
          </NavLink>
          <NavLink to="/api">API</NavLink>
        </nav>
        {notice}
        <div className="top-end">
          {search}
          <ThemeButton />
          <UserMenu />
        </div>
      </header>
      <Outlet />
    </>
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
