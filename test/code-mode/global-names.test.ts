import { Runtime, renderForModel, type ToolsetRegistration, tool, toolset, toolsetRegistration } from '@toolgen/runtime'
import { base, useModel } from '@toolgen/runtime/agents'
import { apiDeclarations, codeMode, quickJsSandbox, typescriptChecker, useCodeMode } from '@toolgen/runtime/code-mode'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import ts from 'typescript'
import { afterAll, describe, expect, it } from 'vitest'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

const limits = { calls: 1_000 }

const returns = (name: string, value: string) =>
  tool({ name, description: 'Returns a text.', parameters: { type: 'object', properties: {} }, run: () => value })

/** Returns the names of all values and types that the checker's library declares. */
function libraryNames(): readonly string[] {
  const options = { lib: ['lib.es2024.d.ts'], types: [], target: ts.ScriptTarget.ES2022 }
  const host = ts.createCompilerHost(options)
  const empty = ts.createSourceFile('/empty.ts', '', ts.ScriptTarget.ES2022)
  const program = ts.createProgram(['/empty.ts'], options, {
    ...host,
    getSourceFile: (name, ...rest) => (name === '/empty.ts' ? empty : host.getSourceFile(name, ...rest)),
  })
  const symbols = program.getTypeChecker().getSymbolsInScope(empty, -1 as ts.SymbolFlags)
  return symbols.map(({ name }) => name)
}

/** Returns the names of all globals of a program in the sandbox. */
async function sandboxNames(): Promise<readonly string[]> {
  const outcome = await sandbox.run(
    {
      javascript: 'async function program() { return Object.getOwnPropertyNames(globalThis) }',
      paths: [],
      now: 0,
      seed: 1,
      limits: {
        computeMs: 10_000,
        totalMs: 60_000,
        calls: 0,
        parallel: 1,
        logCharacters: 0,
        resultCharacters: 100_000,
      },
    },
    async () => ({ ok: true, json: 'null' }),
  )
  return outcome.status === 'completed' ? JSON.parse(outcome.json) : []
}

const otherNames = ['__proto__', 'constructor', 'any', 'string', 'ToolFailures', 'CaughtError']
const names = [...new Set([...libraryNames(), ...(await sandboxNames()), ...otherNames])]

/** Runs a program that calls all functions, and uses globals that are no functions. */
async function callAll(tools: Parameters<typeof codeMode>[0], paths: readonly string[]): Promise<string> {
  const program = new Runtime().registerToolset(codeMode(tools, { checker, sandbox, limits }))
  const code = `const all: Json[] = [${paths.map((path) => `await ${path}()`).join(', ')}]
const used: Record<string, number> = Object.fromEntries(new Map([['a', Math.max(1, 2)]]))
return [JSON.stringify(used), undefined, new Set(all).size]`
  return renderForModel(await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) }))
}

describe('names of globals', () => {
  it('include those of the library and of the sandbox', () => {
    expect(names).toEqual(expect.arrayContaining(['program', 'console', 'escape', 'Record', 'Pick', 'Proxy', 'Intl']))
  })

  it('can be names of toolsets', async () => {
    const tools = names.map((name) => {
      const { use, executor } = toolset(name, returns('refund', name))
      const toolNames = { refund: `${name}_refund` }
      return new Runtime().registerToolset(toolsetRegistration({ ...use, toolNames }, executor))
    })
    const { functions } = apiDeclarations(tools.flatMap(({ specs }) => specs))
    const result = await callAll(
      tools,
      functions.map(({ path }) => path),
    )
    expect(result).toBe(JSON.stringify({ value: ['{"a":2}', null, names.length] }))
  })

  it('can be names of tools', async () => {
    const tools = new Runtime().registerToolset(toolset('shop', ...names.map((name) => returns(name, name))))
    const { functions } = apiDeclarations(tools.specs)
    const result = await callAll(
      tools,
      functions.map(({ path }) => path),
    )
    expect(result).toBe(JSON.stringify({ value: ['{"a":2}', null, names.length] }))
  })
})

describe('a toolset with another name in the agent', () => {
  const { use, executor } = toolset('program', returns('refund', 'refunded'))
  const as = (name: string): ToolsetRegistration<unknown> => {
    const toolNames = { refund: `${name}_refund` }
    return toolsetRegistration({ ...use, as: name, toolNames }, executor)
  }
  const register = (
    model: ReturnType<typeof scriptedModel>,
    ...registrations: readonly ToolsetRegistration<unknown>[]
  ) =>
    new Runtime().registerAgent({ name: 'desk', description: 'Helps.' }, registrations, {
      agent: base().with(useModel(model)).with(useCodeMode({ checker, sandbox })).build(),
    })

  it('has this name in programs', async () => {
    const code = 'return [await eu.refund(), await us.refund()]'
    const model = scriptedModel([calls({ tool: 'run_program', arguments: { code } }), says('Done.')])
    const desk = register(model, as('eu'), as('us'))
    const called: string[] = []
    for await (const event of desk.run('Refund.')) if (event.type === 'call_started') called.push(event.call.tool)
    expect(called).toEqual(['program.run_program', 'eu.refund', 'us.refund'])
  })

  it('must not have the name of the toolset of `run_program`', () => {
    expect(() => register(scriptedModel([]), as('program'))).toThrow(/a toolset with the name 'program'.*`as`/)
  })
})

it('returns the results of `Promise.allSettled`', async () => {
  const fail = tool({
    name: 'fail',
    description: 'Fails.',
    parameters: { type: 'object', properties: {} },
    run: () => {
      throw new Error('It is closed.')
    },
  })
  const tools = new Runtime().registerToolset(toolset('shop', returns('refund', 'done'), fail))
  const program = new Runtime().registerToolset(codeMode(tools, { checker, sandbox }))
  const code = 'return await Promise.allSettled([shop.refund(), shop.fail()])'
  const outcome = await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
  expect(JSON.parse(renderForModel(outcome))).toMatchObject({
    value: [
      { status: 'fulfilled', value: 'done' },
      { status: 'rejected', reason: { name: 'ToolError', message: expect.any(String) } },
    ],
  })
})
