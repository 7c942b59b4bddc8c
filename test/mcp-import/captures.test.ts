import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importMcp } from '../../packages/codegen/src/imports/mcp.js'
import { importedToolNames } from '../../packages/codegen/src/ir/tool-names.js'
import { runInThread } from '../cli/command-thread.js'
import { plainEnvironment } from '../cli/project.fixture.js'
import { captures } from '../corpora/mcp.fixture.js'
import { dataFolder, hasData } from '../data.js'
import { tsc } from '../tsc.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Inside the workspace, so that its packages resolve as they do for a user who installed them.
const project = hasData ? mkdtempSync(join(root, 'test/.out-mcp-import-')) : ''
const names = importedToolNames(captures.map(({ file }) => file.replace('.json', ''))).map(({ tool }) => tool)
const imports = captures.map(({ file }, index) =>
  importMcp(names[index] ?? file, {
    captured: JSON.parse(readFileSync(join(dataFolder() ?? '', 'mcp', file), 'utf8')),
    source: file,
  }),
)

const settings: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/*.ts' })`,
  'tsconfig.json': JSON.stringify({
    extends: '../generated-code/strictest.json',
    compilerOptions: { skipLibCheck: true },
    include: ['gen', 'src'],
  }),
  // Of a design nobody imports declarations.
  'tsconfig.design.json': JSON.stringify({
    extends: './tsconfig.json',
    compilerOptions: { isolatedDeclarations: false, declaration: false },
    include: ['design'],
  }),
  'design/agents.ts': `import { defineAgent, fromMcp } from '@toolgen/dsl'
${captures.map((_, index) => `import { ${names[index]} } from './${stemOf(index)}.js'`).join('\n')}
export const all = defineAgent('all', {
  description: 'Has all tools of all servers.',
  uses: [${names.map((name) => `fromMcp(${name})`).join(', ')}],
})`,
}

/** The module of a toolset, without its extension. */
function stemOf(index: number): string {
  return imports[index]?.files.find(({ isOwn }) => isOwn)?.path.replace(/\.ts$/, '') ?? ''
}

describe.skipIf(!hasData)('the tools of 30 MCP servers (needs the data folder)', () => {
  beforeAll(() => {
    const files = imports.flatMap((one) => one.files.map(({ path, text }) => [`design/${path}`, text] as const))
    for (const [path, text] of [...files, ...Object.entries(settings)]) {
      mkdirSync(dirname(join(project, path)), { recursive: true })
      writeFileSync(join(project, path), text)
    }
  })

  afterAll(() => rmSync(project, { recursive: true, force: true }))

  it('are imported, all 609, of which 59 describe their result; the findings are about names, and about one tool that only runs as a task', () => {
    const sum = (of: 'tools' | 'described') => imports.reduce((total, one) => total + one[of], 0)
    expect([imports.length, sum('tools'), sum('described')]).toEqual([30, 609, 59])
    const told = imports.flatMap(({ diagnostics }) => diagnostics)
    const others = told.filter(({ code }) => code !== 'TG6006')
    expect(others.map(({ code }) => code)).toEqual(['TG6012'])
    expect(others[0]?.message).toContain('simulate-research-query')
  })

  it('are imported to the same bytes from the snapshot', () => {
    for (const [index, { files }] of imports.entries()) {
      const snapshot = files.find(({ path }) => path.endsWith('.json'))?.text ?? ''
      expect(importMcp(names[index] ?? '', { captured: JSON.parse(snapshot), source: 'snapshot' }).files).toEqual(files)
    }
  })

  it('are generated together: 30 clients, and an agent that has them all', () => {
    const { code, both } = runInThread(['generate'], { cwd: project, env: plainEnvironment() })
    expect(both).not.toMatch(/error/i)
    expect(code).toBe(0)
    const files = readdirSync(join(project, 'gen'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /^toolsets.*mcp\.ts$/.test(file)).length).toBe(30)
    expect(files.filter((file) => /^agents.*\.mcp\.ts$/.test(file)).length).toBe(30)
    const codecs = files
      .filter((file) => file.endsWith('codecs.ts'))
      .flatMap((file) =>
        readFileSync(join(project, 'gen', file), 'utf8')
          .split(/^export const /m)
          .slice(1),
      )
    expect(codecs.length).toBe(1218)
    // Each has a generated check.
    expect(codecs.filter((text) => !/^ +is: |, \{ is: /m.test(text))).toEqual([])
  })

  it.each(['5.9', '7.0'] as const)('type-check together under the strictest flags of TypeScript %s', (version) => {
    expect(tsc(version, project)).toEqual({ code: 0, stdout: '' })
  })

  it('type-check as designs', () => {
    expect(tsc('7.0', project, '-p', 'tsconfig.design.json')).toEqual({ code: 0, stdout: '' })
  })
})
