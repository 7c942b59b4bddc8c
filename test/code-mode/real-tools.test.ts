import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Runtime, type ToolOutcome, type ToolSpec } from '@toolgen/runtime'
import { apiDeclarations, codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { openAiTool } from '@toolgen/runtime/projections'
import { exampleOf } from '@toolgen/runtime/schema'
import { get_encoding } from 'tiktoken'
import { afterAll, describe, expect, it } from 'vitest'
import { registerAirline } from '../airline/gen/agents/airline/index.js'
import { airlineToolset } from '../airline/gen/toolsets/airline/index.js'
import { AirlineService } from '../airline/src/airline-service.js'
import { freshDatabase, loadAirlineDatabase } from '../airline/src/database.js'
import { recordedTasks } from '../airline/src/recordings.js'
import { dataFolder, hasData } from '../data.js'
import { tsc } from '../tsc.js'
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
  const database = hasData ? loadAirlineDatabase(join(folder, 'tau/airline_db')) : undefined

  // Definitions of tools do not contain the results, which are larger than the arguments here.
  it('needs fewer tokens than its definitions', () => {
    expect(ratioOf(airlineToolset.tools.map(({ spec }) => spec))).toBeLessThan(1)
  })

  it('answers the calls of the 50 recorded tasks in one program each, as plain calls do', async () => {
    if (database === undefined) return
    let count = 0
    for (const { calls } of recordedTasks(folder)) {
      const open = () =>
        registerAirline(new Runtime(), {
          toolsets: { airline: { client: new AirlineService(freshDatabase(database)) } },
        })
      const plain: ToolOutcome[] = []
      const agent = open()
      for (const { name, arguments: args } of calls) {
        plain.push(await agent.execute({ tool: `airline_${name}`, arguments: JSON.stringify(args) }))
      }
      const lines = calls.map(
        ({ name, arguments: args }) => `results.push(await airline.${name}(${JSON.stringify(args)}))`,
      )
      const code = `const results: Json[] = []\n${lines.join('\n')}\nreturn results`
      const program = new Runtime().registerToolset(codeMode(open(), { checker, sandbox, comments: 'none' }))
      const outcome = await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
      if (outcome.status !== 'completed') throw new Error(`${code}\n${JSON.stringify(outcome)}`)
      expect(outcome.result.data).toEqual({
        value: plain.map((each) => (each.status === 'completed' ? each.result.data : undefined)),
      })
      expect(outcome.provenance.children?.map(({ tool }) => tool)).toEqual(plain.map(({ call }) => call.tool))
      count += calls.length
    }
    expect(count).toBe(158)
  })
})
