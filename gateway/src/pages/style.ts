import { createHash } from 'node:crypto'

/** The colours of the console. */
const text = `
:root {
  color-scheme: light dark;
  --ink: #1c1e20; --soft: #5a5d60; --paper: #fff; --ground: #f7f7f5; --edge: #dcdcd6; --line: #85857d; --accent: #1f6f54; --on-accent: #fff;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceef0; --soft: #a7adb3; --paper: #1e2124; --ground: #16181a; --edge: #363b40; --line: #7b838b; --accent: #6fd0aa; --on-accent: #0c1f18 }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 26rem; padding: 2rem 1.5rem; background: var(--paper); border: 1px solid var(--edge); border-radius: .75rem }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere }
p { margin: 0 0 1rem; overflow-wrap: anywhere }
form { margin: 0 0 1rem }
label { display: block; margin-bottom: .25rem; font-weight: 600 }
input[type=email] { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; margin-bottom: .75rem; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: .375rem }
.button { display: block; width: 100%; min-height: 2.75rem; padding: .625rem 1rem; margin: 0 0 1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; color: var(--on-accent); background: var(--accent); border: 0; border-radius: .375rem }
p > .button { margin: 0 }
main > :last-child { margin-bottom: 0 }
.soft { color: var(--soft) }
code { padding: .125rem .375rem; font: .875rem/1.5 ui-monospace, monospace; background: var(--ground); border-radius: .25rem; overflow-wrap: anywhere }
a { color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`

/** The style sheet of all pages here. */
export const style = Buffer.from(text)

/** Address of the style sheet; it contains a content hash, so that it can be cached indefinitely. */
export const STYLE_URL = `/sign-in/style.css?v=${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
