import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * Proxy target of `npm run dev -w @sheaf/console`: the Sheaf started by `make run`. The Host header is kept, so that Sheaf
 * accepts requests of these pages as same-origin.
 */
const sheaf = { target: 'http://127.0.0.1:8484', changeOrigin: false }

/** A file that compression does not shorten by this many bytes is sent as it is. */
const MIN_SAVED = 512
const brotli = promisify(brotliCompress)
const packers = {
  '.br': (bytes) =>
    brotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  '.gz': (bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
}

/** Writes each file also as compressed by Brotli and gzip, for the gateway to send: at the best level, which takes seconds. */
const precompress = {
  name: 'precompress',
  apply: 'build',
  async writeBundle({ dir }, bundle) {
    const jobs = Object.keys(bundle).flatMap((name) =>
      Object.entries(packers).map(async ([ending, pack]) => {
        const bytes = await readFile(join(dir, name))
        const packed = await pack(bytes)
        if (packed.length + MIN_SAVED <= bytes.length)
          await writeFile(join(dir, name + ending), packed)
      }),
    )
    await Promise.all(jobs)
  },
}

export default defineConfig({
  base: '/console/',
  plugins: [react(), precompress],
  // Its sources, so that it need not be compiled before.
  resolve: {
    alias: { '@sheaf/client': join(import.meta.dirname, '../../packages/client/src/index.ts') },
  },
  build: {
    // The content security policy forbids inline content.
    assetsInlineLimit: 0,
    // The first versions that support light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The console, and the page of a form, which people without an account open.
      input: ['index.html', 'form.html'].map((page) => join(import.meta.dirname, page)),
      checks: { pluginTimings: false },
      output: {
        // Few files, since browsers load few at a time: pages share these.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            { name: 'libraries', test: /node_modules\/(@tanstack|react-router)\// },
            { name: 'shared', test: /console\/src\/(api|components|formats)\// },
          ],
        },
      },
    },
    reportCompressedSize: false,
    // The grid library, loaded on demand, exceeds the default limit.
    chunkSizeWarningLimit: 1_200,
  },
  server: { host: '127.0.0.1', proxy: { '/api': sheaf, '/sign-in': sheaf } },
})
