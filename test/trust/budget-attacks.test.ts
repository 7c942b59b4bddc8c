import { Runtime, runConfig, tool, toolset } from '@toolgen/runtime'
import { base, budget, type ModelLayer, type ModelResponse, useBudget } from '@toolgen/runtime/agents'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { describe, expect, it } from 'vitest'

const prices = { small: { inputPerMillion: 1, outputPerMillion: 10, cacheWriteInputPerMillion: 2 } }
const oneUnit = { usage: { promptTokens: 1_000_000, completionTokens: 0 }, model: 'small' }
const look = { ...calls({ tool: 'look', arguments: {} }), ...oneUnit }

function start(steps: readonly (ModelResponse | typeof look)[], layer: ModelLayer, maxCost = 100) {
  const shared = budget({ maxCost: 100 })
  const model = scriptedModel(steps)
  const looks = toolset('shop', tool({ name: 'look', description: 'Looks.', parameters: {}, run: () => 'seen' }))
  const support = new Runtime({ prices }).registerAgent({ name: 'support', description: 'x' }, [looks], {
    agent: base(model).with(useBudget(shared)).build(),
    policy: { maxCost },
  })
  const run = support.run('?', { config: runConfig().modelLayer(layer) })
  return { run, shared, model }
}

describe('responses that a model layer does not return', () => {
  const twice: ModelLayer = (next) => async (request) => {
    await next(request)
    return next(request)
  }

  it('count if the layer asks again', async () => {
    const { run, shared } = start(
      [
        { ...says('bad'), ...oneUnit },
        { ...says('good'), ...oneUnit },
      ],
      twice,
    )
    expect(await run).toMatchObject({
      status: 'completed',
      usage: { turns: 1, promptTokens: 2_000_000, cost: 2 },
      result: { text: 'good' },
    })
    expect(await shared.spent()).toEqual({ tokens: 2_000_000, cost: 2 })
  })

  it('end the run at its limit', async () => {
    const { run, model } = start([look, look, look, look], twice, 2)
    expect(await run).toMatchObject({ stop: { reason: 'max_cost', limit: 2, used: 2 } })
    expect(model.stepsLeft).toBe(2)
  })

  it('count if the layer returns a response of its own', async () => {
    const blocked: ModelLayer = (next) => async (request) => {
      const { message: _, usage: __, ...response } = await next(request)
      return { ...response, message: { role: 'assistant', content: 'blocked' } }
    }
    const { run, shared } = start([{ ...says('bad'), ...oneUnit }], blocked)
    expect(await run).toMatchObject({ result: { text: 'blocked' }, usage: { cost: 1 } })
    expect(await shared.spent()).toMatchObject({ cost: 1 })
  })

  it('count if the layer throws', async () => {
    const throws: ModelLayer = (next) => async (request) => {
      await next(request)
      throw new Error('No.')
    }
    const { run, shared } = start([{ ...says('bad'), ...oneUnit }], throws)
    expect(await run).toMatchObject({ status: 'failed', usage: { promptTokens: 1_000_000, cost: 1 } })
    expect(await shared.spent()).toEqual({ tokens: 1_000_000, cost: 1 })
  })

  it('count once if the layer only changes the response, or adds the usage itself', async () => {
    const changes: ModelLayer = (next) => async (request) => ({ ...(await next(request)), id: 'x' })
    expect(await start([{ ...says('good'), ...oneUnit }], changes).run).toMatchObject({ usage: { cost: 1 } })
    const adds: ModelLayer = (next) => async (request) => {
      const responses = [await next(request), await next(request)]
      const promptTokens = responses.reduce((sum, { usage }) => sum + (usage?.promptTokens ?? 0), 0)
      return { ...(responses[1] as ModelResponse), usage: { promptTokens, completionTokens: 0 } }
    }
    const { run } = start(
      [
        { ...says('a'), ...oneUnit },
        { ...says('b'), ...oneUnit },
      ],
      adds,
    )
    expect(await run).toMatchObject({ usage: { promptTokens: 2_000_000, cost: 2 } })
  })
})

describe('the cost of a response with impossible amounts', () => {
  const same: ModelLayer = (next) => next

  it.each([
    [{ cachedPromptTokens: -5_000_000 }, 1],
    [{ cacheWritePromptTokens: -500_000 }, 1],
    [{ cachedPromptTokens: Number.NaN }, 1],
    [{ completionTokens: -100_000 }, 1],
    [{ cachedPromptTokens: 3_000_000 }, 3],
  ])('%j is at least that of its prompt', async (details, cost) => {
    const usage = { ...oneUnit.usage, ...details }
    const { run } = start([{ ...says('a'), ...oneUnit, usage }], same)
    expect(await run).toMatchObject({ status: 'completed', usage: { cost } })
  })

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])(
    '%s, reported by the driver, is computed from the prices',
    async (cost) => {
      const { run, shared } = start([{ ...says('a'), ...oneUnit, usage: { ...oneUnit.usage, cost } }], same)
      expect(await run).toMatchObject({ status: 'completed', usage: { cost: 1 } })
      expect(await shared.spent()).toMatchObject({ cost: 1 })
    },
  )
})
