import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolSpec } from '@toolgen/runtime'
import { apiDeclarations, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { openAiTool } from '@toolgen/runtime/projections'
import { exampleOf } from '@toolgen/runtime/schema'
import { get_encoding } from 'tiktoken'
import { afterAll, describe, expect, it } from 'vitest'
import { airlineToolset } from '../airline/gen/toolsets/airline/index.js'
import { dataFolder, hasData } from '../data.js'
import { tsc } from '../tsc.js'
import { airlineRuns } from './plans/airline-tasks.js'
import { mcpDeclarations, mcpSpecs } from './plans/mcp-tools.js'

const folder = dataFolder() ?? ''
const checker = typescriptChecker({ timeLimitMs: 120_000 })
const sandbox = quickJsSandbox()
const workFolder = mkdtempSync(join(tmpdir(), 'toolgen-code-mode-'))
afterAll(async () => {
  await Promise.all([checker.close(), sandbox.close()])
  rmSync(workFolder, { recursive: true })
})

/** Returns the tokens of declarations relative to the tool definitions that OpenAI receives. */
function ratioOf(specs: readonly ToolSpec[]): number {
  const definitions = specs.map((spec) => openAiTool(spec, { strict: false }).tool)
  return tokensOf(apiDeclarations(specs).text) / tokensOf(JSON.stringify(definitions))
}

const encoding = get_encoding('o200k_base')
const tokensOf = (text: string): number => encoding.encode(text, [], []).length

describe.skipIf(!hasData)('the tools of 30 MCP servers (needs the data folder)', () => {
  const specs = hasData ? mcpSpecs(folder) : []

  it.each(['none', 'short', 'full'] as const)('have declarations that compile, with the comments "%s"', (comments) => {
    const { text, functions } = apiDeclarations(specs, { comments })
    expect(functions).toHaveLength(609)
    expect(new Set(functions.map(({ path }) => path)).size).toBe(609)
    writeFileSync(join(workFolder, 'api.d.ts'), text)
    const options = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--lib', 'es2022']
    writeFileSync(join(workFolder, 'tsconfig.json'), '{"compilerOptions":{"types":[]},"files":["api.d.ts"]}')
    for (const version of ['5.9', '7.0'] as const) {
      expect(tsc(version, workFolder, '--noEmit', ...options)).toEqual({ code: 0, stdout: '' })
    }
  })

  it('need at most half of the tokens of their definitions', () => {
    expect(ratioOf(specs)).toBeLessThanOrEqual(0.5)
  })

  it('keep all result types', () => {
    const typed = specs.filter(({ result }) => result !== true)
    expect(typed).toHaveLength(59)
    const { functions } = apiDeclarations(typed)
    expect(functions.filter(({ signature }) => signature.endsWith('Promise<Json>'))).toEqual([])
  })

  it.each([24, 609])('accept a program of 30 lines, in a set of %d tools', async (count) => {
    const { text, code } = mcpDeclarations(folder, count)
    expect(text.match(/^function /gm)).toHaveLength(count)
    expect(code(1).split('\n')).toHaveLength(30)
    expect(await checker.check(text, code(1))).toMatchObject({ ok: true })
  })

  it('accept calls with valid arguments', async () => {
    const { text, functions } = apiDeclarations(specs)
    const calls = functions.map(({ path, signature }, at) => {
      const { value = {} } = { value: exampleOf(specs[at]?.arguments ?? {}) }
      return `await ${path}(${signature.includes('(args') ? JSON.stringify(value) : ''})`
    })
    const checked = await checker.check(text, calls.join('\n'))
    const rejected = checked.ok ? [] : checked.issues.map(({ line, message }) => `${calls[line - 1]}: ${message}`)
    expect(rejected).toEqual([])
  })
})

describe.skipIf(!hasData)('the airline in code mode (needs the data folder)', () => {
  // Definitions of tools do not contain the results, which are larger than the arguments here.
  it('needs fewer tokens than its definitions', () => {
    expect(ratioOf(airlineToolset.tools.map(({ spec }) => spec))).toBeLessThan(1)
  })

  it('makes the calls of the 50 recorded tasks in one program each, as plain calls do', async () => {
    const runs = await airlineRuns(folder, { checker, sandbox })
    for (const { id, plain, program } of runs) expect(program, id).toEqual(plain)
    expect(runs).toHaveLength(50)
    expect(runs.filter(({ plain }) => Object.keys(Object(plain.rows.reservations)).length > 0).length).toBeGreaterThan(
      30,
    )
    expect(runs.flatMap(({ plain }) => plain.tools)).toHaveLength(158)
  })
})
