import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * For `npm run dev -w @sheaf/console`: everything but the console comes from the Sheaf of `make run`. It is told the host that
 * the browser asked, and so takes its pages for its own.
 */
const sheaf = { target: 'http://127.0.0.1:8484', changeOrigin: false }

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    // The policy of the pages allows nothing that stands inside of them.
    assetsInlineLimit: 0,
    // The first that know light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The library of the grid, which comes only with a table, is larger than what Vite warns of.
    chunkSizeWarningLimit: 1_000,
  },
  server: { host: '127.0.0.1', proxy: { '/api': sheaf, '/sign-in': sheaf } },
})
