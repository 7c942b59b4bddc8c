import { Runtime, renderForModel, tool, toolset } from '@toolgen/runtime'
import {
  type CodeModeOptions,
  codeMode,
  isolatedVmSandbox,
  quickJsSandbox,
  type SandboxLimits,
  typescriptChecker,
  useCodeMode,
} from '@toolgen/runtime/code-mode'
import { afterAll, describe, expect, it } from 'vitest'

const checker = typescriptChecker({ timeLimitMs: Number.POSITIVE_INFINITY })
const sandbox = quickJsSandbox({ memoryMiB: 16 })
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

const parameters = { type: 'object', properties: { n: { type: 'number' } } }
const echo = tool({ name: 'echo', description: 'Returns its arguments.', parameters, run: (args) => args })

const programs = (limits: Readonly<Record<string, unknown>>) =>
  new Runtime().registerToolset(
    codeMode(new Runtime().registerToolset(toolset('shop', echo)), {
      checker,
      sandbox,
      limits: limits as NonNullable<CodeModeOptions['limits']>,
    }),
  )

const code = 'await Promise.all([1, 2, 3].map((n) => shop.echo({ n })))\nreturn 7'

describe('limits of code mode', () => {
  it.each([
    ['computeMs', [0, -1, Number.NaN, null, '5'], 'a positive number of milliseconds'],
    ['totalMs', [0, Number.NaN], 'a positive number of milliseconds'],
    ['parallel', [0, -1, Number.NaN, 1.5], 'an integer of at least 1'],
    ['calls', [-1, Number.NaN, null], 'an integer of at least 0'],
    ['logCharacters', [Number.NaN], 'an integer of at least 0'],
    ['resultCharacters', [Number.NaN, 0], 'an integer of at least 1'],
  ])('reject an invalid `%s` at the registration', (name, values, expected) => {
    for (const value of values) {
      const message = `codeMode: \`limits.${name}\` is ${value}. Expected ${expected}, or Infinity for no limit.`
      expect(() => programs({ [name]: value })).toThrow(new RangeError(message))
    }
  })

  it('reject an unknown name with the nearest one', () => {
    expect(() => programs({ computeMS: 5 })).toThrow(
      new TypeError('codeMode: `limits.computeMS` is unknown. Did you mean `computeMs`?'),
    )
    expect(() => useCodeMode({ checker, sandbox, limits: { x: 1 } as object })).toThrow(
      'useCodeMode: `limits.x` is unknown. Expected computeMs, totalMs, calls, parallel, logCharacters or resultCharacters.',
    )
    expect(() => programs(5 as never)).toThrow('codeMode: `limits` must be an object.')
  })

  it('are also checked when a sandbox is called directly', async () => {
    const program = { javascript: 'async function program() { return 1 }', paths: [], now: 0, seed: 1 }
    const run = (limits: object) =>
      sandbox.run({ ...program, limits: limits as SandboxLimits }, async () => 'suspended')
    await expect(run({ computeMs: Number.NaN })).rejects.toThrow(
      'Sandbox.run: `limits.computeMs` is NaN. Expected a number of milliseconds of at least 0, or Infinity for no limit.',
    )
    await expect(run({ parallel: 0 })).rejects.toThrow('Sandbox.run: `limits.parallel` is 0.')
    await expect(run({ call: 1 })).rejects.toThrow('Sandbox.run: `limits.call` is unknown. Did you mean `calls`?')
    expect(await run({})).toMatchObject({ status: 'completed', json: '1' })
    expect(await run({ totalMs: 0 })).toMatchObject({ status: 'failed', reason: 'time' })
  })

  it.each([undefined, 1e12, Number.POSITIVE_INFINITY])('can all be %s', async (value) => {
    const names = ['computeMs', 'totalMs', 'calls', 'parallel', 'logCharacters', 'resultCharacters']
    const limits = Object.fromEntries(names.map((name) => [name, value]))
    const outcome = await programs(limits).execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
    expect(renderForModel(outcome)).toBe('{"value":7}')
  })
})

describe('a sandbox and a checker', () => {
  it('reject invalid options', () => {
    const one = (value: unknown, expected: string) =>
      new RangeError(`quickJsSandbox: \`memoryMiB\` is ${value}. Expected ${expected}.`)
    for (const memoryMiB of [0, 1, 15.9, Number.NaN, -5, 5_000])
      expect(() => quickJsSandbox({ memoryMiB })).toThrow(one(memoryMiB, 'a number from 16 to 2048'))
    for (const memoryMiB of [7, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => isolatedVmSandbox({ memoryMiB })).toThrow(
        `isolatedVmSandbox: \`memoryMiB\` is ${memoryMiB}. Expected a number from 8 to 4096.`,
      )
    for (const newSandbox of [quickJsSandbox, isolatedVmSandbox])
      for (const idle of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
        expect(() => newSandbox({ idle })).toThrow(`\`idle\` is ${idle}. Expected an integer of at least 0.`)
    expect(() => typescriptChecker({ timeLimitMs: Number.NaN })).toThrow(
      'typescriptChecker: `timeLimitMs` is NaN. Expected a positive number of milliseconds, or Infinity for no limit.',
    )
  })
})
