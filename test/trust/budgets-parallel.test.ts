import { Runtime, runConfig, type ToolLayer, tool, toolset } from '@toolgen/runtime'
import {
  type BudgetOptions,
  base,
  budget,
  callTools,
  type Decision,
  type ModelPrices,
  type Planner,
  type RunLayer,
  type RunPolicy,
  type StepLayer,
  useBudget,
  usePlanner,
} from '@toolgen/runtime/agents'
import { quickJsSandbox, typescriptChecker, useCodeMode } from '@toolgen/runtime/code-mode'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { afterAll, describe, expect, it } from 'vitest'
import { toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { onceThen } from '../nested/agents.fixture.js'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

const prices: ModelPrices = { small: { inputPerMillion: 1, outputPerMillion: 10 } }
const MILLION = 1_000_000

/** A decision that costs 1 and has a million tokens. */
const costing = (decision: Decision): Decision => ({
  ...decision,
  usage: { promptTokens: MILLION, completionTokens: 0 },
  model: 'small',
})

/** Number of agents that run at the same time. */
const AGENTS = 4
const LIMIT = 6

const investigate = toolOf('research.investigate', { arguments: {}, result: {} })

const parallelCalls = Array.from({ length: AGENTS }, () => ({ tool: 'research.investigate', arguments: '{}' }))

/** A nested agent that never ends by itself. Its responses arrive later, so that all agents wait for one at the same time. */
const endless: Planner = async () => {
  await new Promise((resolve) => setImmediate(resolve))
  return costing(callTools({ tool: 'look', arguments: '{}' }))
}

const code = `return await Promise.all(['a', 'b', 'c', 'd'].map(() => research.investigate({})))`
const programCall = { tool: 'run_program', arguments: JSON.stringify({ code }), toolCallId: 'p' }

/** Ways in which one step starts all agents. The planner of the outer agent costs nothing. */
const ways = {
  'parallel calls of one step': { planner: onceThen(parallelCalls), isProgram: false },
  'Promise.all of a program': { planner: onceThen([programCall]), isProgram: true },
} as const

/** Limits: how they are set, and the stop reason of the run. */
const limits = {
  maxCost: { policy: { maxCost: LIMIT }, stop: { reason: 'max_cost', limit: LIMIT } },
  maxTokens: { policy: { maxTokens: LIMIT * MILLION }, stop: { reason: 'max_tokens', limit: LIMIT * MILLION } },
  'a budget with a limit of costs': {
    shared: { maxCost: LIMIT },
    stop: { reason: 'budget', unit: 'cost', limit: LIMIT },
  },
  'a budget with a limit of tokens': {
    shared: { maxTokens: LIMIT * MILLION },
    stop: { reason: 'budget', unit: 'tokens', limit: LIMIT * MILLION },
  },
} as const satisfies Record<string, { policy?: RunPolicy; shared?: BudgetOptions; stop: object }>

interface Setting {
  readonly way?: keyof typeof ways
  /** Layers of the outer run, of the steps of the nested agents, and of the calls of the outer run. */
  readonly layers?: { readonly run?: RunLayer; readonly step?: StepLayer; readonly tool?: ToolLayer }
  readonly inner?: Planner
}

/** Runs an agent whose nested agents share its limit. `requests` is the number of responses that the nested agents received. */
async function play(limit: keyof typeof limits, setting: Setting) {
  const { way = 'parallel calls of one step', layers = {}, inner = endless } = setting
  const { planner, isProgram } = ways[way]
  const { policy, shared }: { policy?: RunPolicy; shared?: BudgetOptions } = limits[limit]
  const spent = shared && budget(shared)
  let requests = 0
  const counted: Planner = (request) => {
    requests += 1
    return inner(request)
  }
  const runtime = new Runtime({ prices })
  const looks = toolset('shop', tool({ name: 'look', description: 'Looks.', parameters: {}, run: () => 'seen' }))
  const nested = { name: 'researcher', description: 'Finds things out.' }
  const research = runtime.registerAgent(nested, [looks], { planner: counted })
  const stepped = layers.step === undefined ? research : research.stepLayer(layers.step)
  const served = agentToolsetRegistration({ toolset: toolsetOf(investigate), agent: nested }, stepped)
  const plain = base().with(usePlanner(planner))
  const limited = spent === undefined ? plain : plain.with(useBudget(spent))
  const agent = (isProgram ? limited.with(useCodeMode({ checker, sandbox })) : limited).build()
  const support = runtime.registerAgent({ name: 'support', description: 'Answers.' }, [served], {
    agent,
    ...(policy !== undefined && { policy }),
  })
  const layered = layers.run === undefined ? support : support.runLayer(layers.run)
  const config = layers.tool === undefined ? runConfig() : runConfig().layer(layers.tool)
  const run = await layered.run('?', { config })
  return { run, requests, spent: await spent?.spent() }
}

describe.each(Object.keys(limits) as (keyof typeof limits)[])(
  '%s over nested agents that run at the same time',
  (limit) => {
    const { stop } = limits[limit]

    it.each(Object.keys(ways) as (keyof typeof ways)[])('is exceeded only by requests in flight: %s', async (way) => {
      const { run, requests, spent } = await play(limit, { way })
      expect(run.stop).toMatchObject(stop)
      expect(run.usage.cost).toBe(requests)
      if (spent !== undefined) expect(spent).toEqual({ tokens: requests * MILLION, cost: requests })
      expect(requests).toBeGreaterThanOrEqual(LIMIT)
      expect(requests).toBeLessThan(LIMIT + AGENTS)
    })

    it('covers repeated runs', async () => {
      const repeated: RunLayer = (next) => async (request) => {
        await next(request)
        await next(request)
        return next(request)
      }
      const { run, requests } = await play(limit, { layers: { run: repeated } })
      expect(run.stop).toMatchObject(stop)
      expect(requests).toBeLessThan(LIMIT + AGENTS)
    })

    it('covers repeated steps of the nested agents', async () => {
      const repeated: StepLayer = (next) => async (request) => {
        await next(request)
        return next(request)
      }
      const { run, requests } = await play(limit, { layers: { step: repeated } })
      expect(run.stop).toMatchObject(stop)
      expect(requests).toBeLessThan(LIMIT + AGENTS)
    })

    it('covers calls of nested agents that a layer repeats', async () => {
      const repeated: ToolLayer = (next) => async (request) => {
        const first = await next(request)
        const isNested = request.tool.provider === 'agent'
        return isNested ? next(request.again()) : first
      }
      // Each attempt pays for one response and fails.
      const failing: Planner = (request) => {
        if (request.turn > 1) throw new Error('away')
        return endless(request)
      }
      const { run } = await play(limit, { layers: { tool: repeated }, inner: failing })
      expect(run.stop).toMatchObject(stop)
      expect(run.usage.cost).toBeLessThan(LIMIT + AGENTS)
    })
  },
)
