import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const isNode20 = process.versions.node.startsWith('20.')

/** Version 7 of the AI SDK. `ai` is version 6. */
const aiSdk7 = fileURLToPath(new URL('test/node_modules/ai-7/dist', import.meta.url))

/**
 * Small files whose tests need more than 20 seconds. They start first. In a fresh clone, Vitest would start them last, because it knows only the
 * sizes of the files, and one worker would be idle at the end.
 */
const LONG_TESTS = [
  'code-mode/sandbox',
  'code-mode/kills',
  'diff/inclusion',
  'generated-code/compilers',
  'sessions-postgres/postgres-store',
  'sessions-soak/churn',
  'sessions-soak/kill-rounds',
  'trust/data-flow-bench',
].map((name) => `/test/${name}.test.ts`)

class LongTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG_TESTS.some((path) => moduleId.endsWith(path))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  resolve: { alias: process.env.TOOLGEN_TEST_SOURCES === undefined ? [] : sourceAliases() },
  test: {
    exclude: ['**/node_modules/**', '**/dist/**'],
    projects: [
      {
        extends: true,
        test: {
          name: 'toolgen',
          include: ['packages/*/src/**/*.test.ts', 'examples/*/**/*.test.ts', 'test/**/*.test.ts'],
        },
      },
      {
        extends: true,
        resolve: { alias: [...sourceAliases(), { find: /^ai(\/test)?$/, replacement: `${aiSdk7}$1/index.js` }] },
        test: {
          name: 'AI SDK 7',
          include: [
            'test/integrations/{ai-sdk,ui-stream}.test.ts',
            'test/content-parts/frameworks.test.ts',
            'test/trust/approvals-frameworks.test.ts',
          ],
        },
      },
    ],
    // These limits only end what hangs: no test may depend on the speed of the machine, and none sets a limit of its own.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000, interval: 10 } },
    // On two cores, a third worker uses the time in which others wait for processes, timers and disks.
    maxWorkers: 3,
    sequence: { sequencer: LongTestsFirst },
    // Node loads the built packages, as in an application. Without this, Vite would transform them first.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    // Neither the packages nor their tests keep state in modules: loading them again for every file takes a third of the time.
    isolate: false,
    // V8 optimizes functions later, and never optimizes WebAssembly: most tests end before optimized code saves what its compilation costs.
    execArgv: ['--liftoff-only', isNode20 ? '--interrupt-budget=500000' : '--invocation-count-for-turbofan=30000'],
  },
})

/** Maps every entry of every package to its source, so that `npm run test:quick` needs no build. */
function sourceAliases(): { find: RegExp; replacement: string }[] {
  const packages = new URL('packages/', import.meta.url)
  return readdirSync(packages).flatMap((name) => {
    const folder = new URL(`${name}/`, packages)
    const manifest: { name: string; exports: Record<string, { default?: string }> } = JSON.parse(
      readFileSync(new URL('package.json', folder), 'utf8'),
    )
    return Object.entries(manifest.exports).flatMap(([entry, { default: built }]) => {
      if (built === undefined) return []
      const source = built.replace('./dist/', 'src/').replace(/\.js$/, '.ts')
      const find = new RegExp(`^${(manifest.name + entry.slice(1)).replaceAll('/', '\\/')}$`)
      return [{ find, replacement: fileURLToPath(new URL(source, folder)) }]
    })
  })
}
