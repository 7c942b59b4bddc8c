import { describe, expect, it } from 'vitest'
import { executorOf, getOrder, toolOf, useOf } from '../agents/orders.fixture.js'
import { registerAgent } from '../agents/runtime.js'
import { Runtime } from '../index.js'
import { isToolgenError } from '../is-toolgen-error.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { ToolExecutor } from '../types/executor.js'
import type { ToolLayer } from '../types/layer.js'
import type { RegistrationOptions, ToolsetRegistration } from '../types/registration.js'
import { bindToolset, type Requirement, type Requirements, type ToolsetBinding } from './binding.js'
import { offeredSpecs, usedSpecs } from './bound-tools.js'

const agent = { name: 'support', description: 'Answers customers.' }
const find = toolOf<{ orderId: string }, unknown>('orders.find')
const hostile = toolOf<{ orderId: string }, unknown>('orders.constructor')
const use = useOf([getOrder, find, hostile])
const newExecutor = (client: { name: string }): ReturnType<typeof executorOf> =>
  executorOf(() => ({ id: client.name, total: 1 }))
const newRegistration = (executor: ToolExecutor, options?: RegistrationOptions): ToolsetRegistration =>
  toolsetRegistration(use, executor, options)
const check = { '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) } }

/** As plain JavaScript would call it. */
function bind(binding: unknown, requirements?: Requirements): ToolsetBinding {
  return bindToolset(use, binding as never, newExecutor, newRegistration, requirements)
}

function messagesOf(...bindings: ToolsetBinding[]): readonly string[] {
  try {
    registerAgent(new Runtime(), agent, bindings)
  } catch (error) {
    if (isToolgenError(error, 'BindingError')) return error.errors.map((error) => error.message)
    throw error
  }
  return []
}

describe('binding an agent', () => {
  it('runs a client through the generated executor', async () => {
    const support = registerAgent(new Runtime(), agent, [bind({ client: { name: 'shop' } })])
    expect(await support.execute(getOrder.call({ orderId: 'A' }))).toMatchObject({ result: { data: { id: 'shop' } } })
  })

  it('puts the layers of the binding around the tools, and says when they give back something else', async () => {
    const seen: string[] = []
    const layer: ToolLayer = (next) => async (request) => {
      seen.push(request.tool.id)
      return next(request)
    }
    const layers = (tools: ToolsetRegistration): ToolsetRegistration => tools.layer(layer)
    const support = registerAgent(new Runtime(), agent, [bind({ client: { name: 'shop' }, layers })])
    expect(await support.execute(getOrder.call({ orderId: 'A' }))).toMatchObject({ result: { data: { id: 'shop' } } })
    expect(seen).toEqual(['orders.getOrder'])
    const other = toolsetRegistration(
      useOf([find]),
      executorOf(() => null),
    )
    for (const wrong of [() => undefined, () => ({}), 'x', () => other]) {
      expect(messagesOf(bind({ client: { name: 'shop' }, layers: wrong }))).toEqual([
        '`toolsets.orders.layers` must return a registration. Write `(tools) => tools.layer(...)`.',
      ])
    }
  })

  it('takes no registration in place of a binding: its layers would be lost', () => {
    const registration = toolsetRegistration(
      use,
      executorOf(() => null),
    )
    expect(messagesOf(bind(registration))).toEqual([
      'toolsets.orders is a registration. Use { client, layers: (tools) => tools.layer(...) } instead.',
    ])
  })

  it('takes an executor in place of the client, without mappers', async () => {
    const own = executorOf(() => ({ id: 'own', total: 1 }))
    const support = registerAgent(new Runtime(), agent, [bind({ executor: own }, { getOrder: ['payload'] })])
    expect(await support.execute(getOrder.call({ orderId: 'A' }))).toMatchObject({ result: { data: { id: 'own' } } })
  })

  it('passes the registration options on', async () => {
    const resultAdapter = (): string => '"adapted"'
    const support = registerAgent(new Runtime(), agent, [bind({ client: { name: 'shop' }, resultAdapter })])
    expect(await support.execute(getOrder.call({ orderId: 'A' }))).toMatchObject({ json: '"adapted"' })
  })

  it('counts an own null as absent', async () => {
    const binding = {
      client: { name: 'shop' },
      executor: null,
      checks: null,
      payloadAdapter: null,
      resultAdapter: null,
    }
    const support = registerAgent(new Runtime(), agent, [bind(binding)])
    expect(await support.execute(getOrder.call({ orderId: 'A' }))).toMatchObject({ result: { data: { id: 'shop' } } })
    const nulls = { checks: null, resultAdapter: null, hints: null, telemetryBuilder: null } as never
    const registration = toolsetRegistration(use, newExecutor({ name: 'shop' }), nulls)
    const toolset = new Runtime().registerToolset(registration)
    expect(await toolset.execute(getOrder.call({ orderId: 'A' }))).toMatchObject({ status: 'completed' })
  })

  it('names the actual type of invalid parts', () => {
    expect(messagesOf(bind({ executor: {}, checks: 5, payloadAdapter: 'x', resultAdapter: {} }))).toEqual([
      "The executor of toolset 'orders' must be an object with an `execute` function.",
      'toolsets.orders.payloadAdapter must be a function.',
      'toolsets.orders.resultAdapter must be a function.',
      'toolsets.orders.checks must be an object with checks by tool name.',
    ])
    expect(messagesOf(bind({ client: {}, checks: { getOrder: null } }))).toEqual([
      "toolsets.orders.checks.getOrder must be a Standard Schema, with a function '~standard'.validate.",
    ])
  })

  it('freezes what was generated', () => {
    const own = toolOf<{ orderId: string }, unknown>('orders.own', { spec: { tags: ['a'] } })
    const ownUse = useOf([own])
    new Runtime().registerToolset(toolsetRegistration(ownUse, newExecutor({ name: 'x' })))
    expect([own.spec, own.spec.tags, own.spec.arguments, ownUse.toolset.tools].map(Object.isFrozen)).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  it.each([undefined, null, 'client', 7])('says that a toolset is missing: %s', (binding) => {
    expect(messagesOf(bind(binding))).toEqual([
      "Toolset 'orders' is missing. Set toolsets.orders = { client } or { executor }.",
    ])
  })

  it('says everything that is missing, over all toolsets, at once', () => {
    const parts: readonly Requirement[] = ['payload', 'check']
    const requirements = { getOrder: ['payload', 'result', 'check'], constructor: parts } as const
    const archive = bindToolset(
      { ...use, as: 'archive', toolNames: { getOrder: 'old_order' } },
      undefined as never,
      newExecutor,
      newRegistration,
    )
    expect(messagesOf(bind({ mappers: { getOrder: { result: () => 1 } } }, requirements), archive)).toEqual([
      "Toolset 'orders' has neither client nor executor. Set toolsets.orders.client.",
      "Tool 'orders.getOrder' needs a payload mapper. Set toolsets.orders.mappers.getOrder.payload.",
      "Tool 'orders.getOrder' needs a check: a schema that validates its payload. Set toolsets.orders.checks.getOrder.",
      "Tool 'orders.constructor' needs a payload mapper. Set toolsets.orders.mappers.constructor.payload.",
      "Tool 'orders.constructor' needs a check: a schema that validates its payload. Set toolsets.orders.checks.constructor.",
      "Toolset 'archive' is missing. Set toolsets.archive = { client } or { executor }.",
    ])
  })

  it('refuses a client and an executor together', () => {
    expect(messagesOf(bind({ client: { name: 'a' }, executor: newExecutor({ name: 'b' }) }))).toEqual([
      "Toolset 'orders' has both a client and an executor. Remove one of them.",
    ])
  })

  it('is content when all is there', () => {
    const parts = { client: { name: 'a' }, mappers: { getOrder: { payload: () => [] } }, checks: { getOrder: check } }
    expect(messagesOf(bind(parts, { getOrder: ['payload', 'check'] }))).toEqual([])
  })

  it('asks nothing for tools that the agent does not use', () => {
    const selected = { ...use, toolNames: { find: 'find' } }
    const binding = bindToolset(selected, { client: { name: 'a' } }, newExecutor, newRegistration, {
      getOrder: ['payload'],
    })
    expect(messagesOf(binding)).toEqual([])
  })
})

describe('the specs of an agent', () => {
  it('carry the agent’s names and are frozen through and through', () => {
    const [spec] = usedSpecs([{ ...useOf([getOrder]), as: 'archive', toolNames: { getOrder: 'old' } }])
    expect(spec).toMatchObject({
      id: 'orders.getOrder',
      toolName: 'old',
      provider: 'service',
      qualifiedId: 'service.archive.getOrder',
    })
    expect([spec, spec?.arguments, spec?.examples, spec?.examples[0]].every(Object.isFrozen)).toBe(true)
  })

  it('are offered under the provider of agents', () => {
    expect(offeredSpecs([use.toolset]).map((spec) => spec.qualifiedId)).toEqual([
      'agent.orders.getOrder',
      'agent.orders.find',
      'agent.orders.constructor',
    ])
  })

  it('clash when two tools share a tool name', () => {
    const other = toolOf<never, unknown>('shop.getOrder', { spec: { toolName: 'orders_getOrder' } })
    expect(() => usedSpecs([useOf([getOrder]), useOf([other])])).toThrow(
      "'orders.getOrder' and 'shop.getOrder' have the same tool name 'orders_getOrder'. Rename one of them with `rename`.",
    )
  })
})
