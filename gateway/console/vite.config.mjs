import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * Proxy target of `npm run dev -w @sheaf/console`: the Sheaf started by `make run`. The Host header is kept, so that Sheaf
 * accepts requests of these pages as same-origin.
 */
const sheaf = { target: 'http://127.0.0.1:8484', changeOrigin: false }

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    // The content security policy forbids inline content.
    assetsInlineLimit: 0,
    // The first versions that support light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The grid library, loaded on demand, exceeds the default limit.
    chunkSizeWarningLimit: 1_000,
  },
  server: { host: '127.0.0.1', proxy: { '/api': sheaf, '/sign-in': sheaf } },
})
