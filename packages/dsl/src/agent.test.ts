import { describe, expect, it } from 'vitest'
import { defineAgent } from './agent.js'
import { defineToolset, exportToolset } from './toolset.js'
import { fromAgent, fromService, serviceClient } from './uses.js'

const orders = defineToolset('orders', { description: 'Orders.', tools: {} })
const use = fromService(orders, serviceClient())

/** Calls the function with arguments of any type, like JavaScript code. */
const define = (...given: unknown[]): unknown => Reflect.apply(defineAgent, undefined, given)

describe('defineAgent', () => {
  it('keeps all options; uses and exports are empty by default', () => {
    expect(defineAgent('support', { description: 'x' })).toEqual({
      '~toolgen': 'agent',
      name: 'support',
      description: 'x',
      uses: [],
      exports: [],
    })
    const agent = defineAgent('support', {
      description: 'x',
      instructions: 'y',
      uses: [use],
      exports: [orders],
      policy: { maxTurns: 0, timeBudgetMs: 1_000, onMissingFields: 'finalize', onFailure: 'join_all' },
    })
    expect(agent.instructions).toBe('y')
    expect(agent.uses[0]).toBe(use)
    expect(agent.exports[0]).toBe(orders)
    expect(agent.policy).toEqual({
      maxTurns: 0,
      timeBudgetMs: 1_000,
      onMissingFields: 'finalize',
      onFailure: 'join_all',
    })
  })

  it('keeps uses of other agents, and exports as they are written', () => {
    const [ofAgent, served] = [fromAgent(orders), exportToolset(orders)]
    const agent = defineAgent('support', { description: 'x', uses: [use, ofAgent], exports: [served, orders] })
    expect(agent.uses[1]).toBe(ofAgent)
    expect(agent.exports).toEqual([served, orders])
    expect(agent.exports[0]).toBe(served)
  })

  it('takes a limit of depth', () => {
    expect(defineAgent('support', { description: 'x', policy: { maxDepth: 0 } }).policy).toEqual({ maxDepth: 0 })
  })

  it('is frozen, without freezing what was given', () => {
    const given = { description: 'x', uses: [use], exports: [orders], policy: { maxTurns: 1 } }
    const agent = defineAgent('support', given)
    expect([agent, agent.uses, agent.exports, agent.policy].every((part) => Object.isFrozen(part))).toBe(true)
    expect([given, given.uses, given.exports, given.policy].some((part) => Object.isFrozen(part))).toBe(false)
  })

  it('accepts the same toolset twice: the generator asks for another name, with the place of both', () => {
    expect(defineAgent('support', { description: 'x', uses: [use, use] }).uses).toHaveLength(2)
  })

  it.each<[string, unknown[], string]>([
    ['no name', [{ description: 'x' }], 'defineAgent: name: expected a string, got an object. '],
    ['no description', ['support', {}], 'defineAgent("support"): "description" is missing. '],
    [
      'a toolset without a provider',
      ['support', { description: 'x', uses: [use, orders] }],
      'uses[1]: expected a toolset with a provider, got a toolset. Add its provider: fromService(toolset, client), fromAgent(toolset), fromMcp(toolset), fromOpenApi(toolset) or fromExecutor(toolset).',
    ],
    [
      'a hole in a list',
      // biome-ignore lint/suspicious/noSparseArray: a hole is what is tested
      ['support', { description: 'x', uses: [, use] }],
      'uses[0]: expected a toolset with a provider, got undefined. ',
    ],
    [
      'a use as an export',
      ['support', { description: 'x', exports: [use] }],
      'exports[0]: expected a toolset, got a toolset with a provider. Pass the result of defineToolset(...) or exportToolset(...).',
    ],
    [
      'an export as a use',
      ['support', { description: 'x', uses: [exportToolset(orders)] }],
      'uses[0]: expected a toolset with a provider, got an export. ',
    ],
    [
      'a negative depth',
      ['support', { description: 'x', policy: { maxDepth: -1 } }],
      'maxDepth: expected a number of at least 0, got -1. ',
    ],
    [
      'an agent as a use',
      ['a', { description: 'x', uses: [defineAgent('b', { description: 'x' })] }],
      'got an agent. ',
    ],
    [
      'a negative limit',
      ['support', { description: 'x', policy: { maxTurns: -1 } }],
      'maxTurns: expected a number of at least 0, got -1. ',
    ],
    [
      'a limit that is text',
      ['support', { description: 'x', policy: { maxTurns: '1' } }],
      'expected a number of at least 0, got a string. ',
    ],
    [
      'an infinite limit',
      ['support', { description: 'x', policy: { maxTokens: Number.POSITIVE_INFINITY } }],
      'got Infinity. Omit the field to use its default.',
    ],
    [
      'an unknown limit',
      ['support', { description: 'x', policy: { maxTurn: 1 } }],
      'policy: unknown property "maxTurn". Did you mean "maxTurns"?',
    ],
    [
      'an unknown mode',
      ['support', { description: 'x', policy: { onFailure: 'failfast' } }],
      'onFailure: got "failfast". Did you mean "fail_fast"?',
    ],
  ])('refuses %s', (_, given, message) => {
    expect(() => define(...given)).toThrow(TypeError)
    expect(() => define(...given)).toThrow(message)
  })
})
