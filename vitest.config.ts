import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'examples/*/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 30_000,
    maxWorkers: 2,
    // Neither the packages nor their tests keep state in modules: loading them anew for every file takes a third of the time.
    isolate: false,
  },
})
