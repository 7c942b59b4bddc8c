import { describe, expect, it, onTestFinished } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'
import { createProject } from '../cli/project.fixture.js'
import { hasData } from '../data.js'
import { sourceOf } from './documents.fixture.js'

// `npm run bench -- generate` generates all of it and type-checks the result.
describe.skipIf(!hasData)('the OpenAPI document of GitHub (needs the data folder)', () => {
  it('is imported, all 1,223 operations, with findings only about names', async () => {
    const imported = await importOpenApi('github', sourceOf('github.json.gz'))
    expect([imported.tools, imported.described]).toEqual([1223, 1215])
    expect(new Set(imported.diagnostics.map(({ code }) => code))).toEqual(new Set(['TG6006', 'TG6206']))
    expect(imported.diagnostics.filter(({ code }) => code === 'TG6206')).toHaveLength(5)
  })

  it('is imported to the same bytes with a recorded selection', async () => {
    const source = sourceOf('github.json.gz')
    const select = { tags: ['issues'], paths: ['/gists*'], operations: ['meta/root'] }
    const first = await importOpenApi('github', source, { select })
    expect(first.tools).toBeGreaterThan(60)
    expect(first.files[0]?.text.length).toBeLessThan(source.text.length / 20)
    const again = await importOpenApi('github', source, { earlier: first.files[0]?.text ?? '' })
    expect(again.files).toEqual(first.files)
  })

  it('has the same declarations in generated code and in code mode', async () => {
    const project = createProject({
      'package.json': '{ "type": "module" }',
      'github.json': sourceOf('github.json.gz').text,
      'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/*.ts' })`,
      'design/agents.ts': `import { defineAgent, fromOpenApi } from '@toolgen/dsl'
import { github } from './github.openapi.js'
export const clerk = defineAgent('clerk', { description: 'Has some operations.', uses: [fromOpenApi(github)] })`,
      'tsconfig.json': JSON.stringify({
        compilerOptions: { outDir: 'dist', rootDir: 'gen', module: 'nodenext', target: 'es2022', skipLibCheck: true },
        include: ['gen'],
      }),
      'main.js': `import { Runtime } from '@toolgen/runtime'
import { apiDeclarations, codeMode } from '@toolgen/runtime/code-mode'
import { registerClerk } from './dist/agents/clerk/index.js'
import { advertisedSpecs } from './dist/agents/clerk/specs.js'
const toolsets = { github: { fetch, baseUrl: 'https://github.example' } }
const clerk = registerClerk(new Runtime(), { toolsets })
const shown = ['none', 'short', 'full'].map((comments) => {
  const [{ description }] = new Runtime().registerToolset(codeMode(clerk, { comments })).specs
  return [description.includes(apiDeclarations(advertisedSpecs(), { comments }).text), description]
})
console.log(JSON.stringify(shown))`,
    })
    onTestFinished(() => project.remove())
    expect(project.toolgen('import', 'openapi', 'github', '--from', 'github.json', '--tag', 'issues,pulls').code).toBe(
      0,
    )
    expect(project.toolgen('generate').code).toBe(0)
    expect(project.tsc('-p', '.')).toEqual({ code: 0, stdout: '' })
    const { code, stdout, stderr } = project.node(['main.js'])
    expect([code, stderr]).toEqual([0, ''])
    const shown: [boolean, string][] = JSON.parse(stdout)
    expect(shown.map(([isEqual]) => isEqual)).toEqual([true, true, true])
    const [, emitted = ''] = project.read('gen/agents/clerk/api.ts').split(/\n\n(?=export type Json)/)
    expect(shown[1]?.[1]).toContain(emitted.replaceAll(/^export (?=type Json |declare )/gm, '').trimEnd())
  })
})
