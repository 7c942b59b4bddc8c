import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { initSummary, neededBy } from './init.js'
import { findPnpmWorkspace, type PnpmWorkspace, projectFiles, projectNames } from './init-files.js'

const names = projectNames({ toolset: 'orders', agent: 'support', designFolder: 'design', outputFolder: 'gen' })
const inWorkspace = projectFiles({ kind: 'service' }, names, 'workspace:*')

const roots: string[] = []
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true })
})

function workspace(yaml: string, project = 'examples/new', own = 'packages/codegen'): Partial<PnpmWorkspace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolgen-pnpm-')))
  roots.push(root)
  mkdirSync(join(root, 'examples'))
  writeFileSync(join(root, 'pnpm-workspace.yaml'), yaml)
  return findPnpmWorkspace(join(root, project), join(root, own)) ?? {}
}

it.each([
  ['packages:\n  - packages/*\n  - examples/*\n', true, true],
  ['packages:\r\n- \'packages/*\' # ours\r\n# more\r\n- "examples/**"\r\ncatalog:\r\n  - no\r\n', true, true],
  ['packages: ["packages/*", \'./examples/new/\']\n', true, true],
  ['packages:\n  - packages/*\n', true, false],
  ['packages:\n  - "**"\n  - "!packages/codegen"\n', false, true],
  ['other:\n  - packages/*\n', false, false],
])('%j holds toolgen: %j, and the new project: %j', (yaml, hasToolgen, hasProject) => {
  expect(workspace(yaml)).toMatchObject({ hasToolgen, hasProject })
})

it('a generator that is installed elsewhere is not part of the workspace', () => {
  expect(workspace('packages:\n  - "*"\n', 'examples', '../elsewhere/codegen')).toMatchObject({
    hasToolgen: false,
    hasProject: true,
  })
})

it('no workspace is found without a workspace file', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolgen-pnpm-')))
  roots.push(root)
  expect(findPnpmWorkspace(join(root, 'new'), root)).toBeUndefined()
})

it('the summary of a project in the workspace speaks of pnpm, and of the list that lacks it', () => {
  const found = workspace('packages:\n  - packages/*\n')
  const { file = '', hasToolgen = false, hasProject = true } = found
  const needed = neededBy(inWorkspace)
  const root = join(file, '../examples/new')
  const shown = initSummary(
    {
      root,
      written: ['package.json'],
      kept: [],
      needed,
      pnpm: { file, hasToolgen, hasProject },
      origin: { kind: 'sources', folder: root },
      manifest: undefined,
    },
    (_, text) => text,
  )
  expect(shown).toContain("First add 'examples/new' to `packages` in ")
  expect(shown).toMatch(/Next: cd .*examples\/new && pnpm install && pnpm start$/)
})

it('the manifest has the given range for the packages of toolgen', () => {
  const manifest = inWorkspace.find(({ path }) => path === 'package.json')
  expect(JSON.parse(manifest?.text ?? '')).toMatchObject({
    dependencies: { '@toolgen/runtime': 'workspace:*' },
    devDependencies: { '@toolgen/codegen': 'workspace:*', '@toolgen/dsl': 'workspace:*' },
  })
})
