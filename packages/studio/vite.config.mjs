import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** Build of the page: relative URLs, so that it works below any path, and no inline scripts. */
export default defineConfig({
  root: fileURLToPath(new URL('client', import.meta.url)),
  base: './',
  build: {
    outDir: '../assets',
    emptyOutDir: true,
    target: 'es2022',
    license: { fileName: 'third-party.md' },
    modulePreload: { polyfill: false },
    // Inlined files need other rules of the Content Security Policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1024,
    rolldownOptions: {
      // A test helper of the form library imports it. Without side effects, the bundle contains neither.
      external: ['@rjsf/validator-ajv8'],
      treeshake: { moduleSideEffects: (id) => !id.includes('rjsf') },
      // Packages mark modules for servers of React, which the page does not use.
      onwarn: (warning, log) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && log(warning),
    },
  },
})
