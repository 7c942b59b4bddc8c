import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importedToolNames } from '../../packages/codegen/src/ir/names/imported-tool-names.js'
import { hasData } from '../data.js'
import { type Capture, captures } from './mcp.fixture.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Inside the workspace, so that its packages resolve as they do for a user who installed them.
const project = hasData ? mkdtempSync(join(root, 'test/.out-mcp-')) : ''
/** In milliseconds: each takes a quarter of this on a machine that does nothing else. */
const timeout = 60_000
const toolsets = importedToolNames(captures.map(({ file }) => file.replace('.json', '')))

const files: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/*.ts' })`,
  'tsconfig.json': JSON.stringify({
    extends: '../generated-code/strictest.json',
    compilerOptions: { skipLibCheck: true },
    include: ['gen'],
  }),
  ...Object.fromEntries(captures.map((capture, index) => [`design/server-${index}.ts`, design(capture, index)])),
}

describe.skipIf(!hasData)('toolsets of the tools of 30 MCP servers (needs the data folder)', () => {
  beforeAll(() => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project, path)), { recursive: true })
      writeFileSync(join(project, path), text)
    }
  })

  afterAll(() => rmSync(project, { recursive: true, force: true }))

  it('are generated from plain JSON Schema, with a generated check for each of 1,218 codecs', { timeout }, () => {
    const { status, output } = node('packages/codegen/bin/toolgen.js', 'generate')
    expect(output).not.toMatch(/error/i)
    expect(status).toBe(0)
    const files = readdirSync(join(project, 'gen'), { recursive: true, encoding: 'utf8' })
    const modules = files.filter((file) => file.endsWith('codecs.ts'))
    const codecs = modules.flatMap((file) =>
      readFileSync(join(project, 'gen', file), 'utf8')
        .split(/^export const /m)
        .slice(1),
    )
    expect([modules.length, codecs.length]).toEqual([30, 1218])
    expect(codecs.filter((text) => !/^ +is: |, \{ is: /m.test(text))).toEqual([])
  })

  it.each([
    ['5.9', 'typescript'],
    ['7.0', 'typescript-7'],
  ])('type-check together under the strictest flags of TypeScript %s', { timeout }, (_, compiler) => {
    expect(node(`node_modules/${compiler}/bin/tsc`, '-p', '.')).toEqual({ status: 0, output: '' })
  })
})

/** A module that declares the tools of a server; what they are called has to be legal here. */
function design({ file, tools }: Capture, index: number): string {
  const names = importedToolNames(tools.map(({ name }) => name))
  const entries = tools.map(({ name, description, inputSchema, outputSchema = true }, at) => {
    const { tool, wireName } = names[at] ?? { tool: name, wireName: name }
    const definition = [
      `description: ${JSON.stringify(description || name)}`,
      `wireName: ${JSON.stringify(wireName)}`,
      `payload: ${JSON.stringify(inputSchema)}`,
      `result: ${JSON.stringify(outputSchema)}`,
    ]
    return `${tool}: defineTool({ ${definition.join(', ')} })`
  })
  return `import { defineTool, defineToolset } from '@toolgen/dsl'
export const tools = defineToolset('${toolsets[index]?.tool}', {
  description: ${JSON.stringify(`Tools of ${file}.`)},
  tools: { ${entries.join(',\n')} },
})`
}

function node(script: string, ...args: readonly string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, script), ...args], {
    cwd: project,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}
