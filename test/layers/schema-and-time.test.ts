import { describe, expect, it } from 'vitest'
import {
  type BoundAgent,
  inputSchema,
  type JsonSchema,
  runConfig,
  type Tool,
  timeout,
  tool,
  toolset,
} from '../../packages/runtime/src/index.js'
import { type Mode, modes, play, toolIn } from './modes.fixture.js'

const parameters: JsonSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', maximum: 7 } },
  required: ['city'],
}

/** A hand-written tool that answers with what it was sent. */
function weatherIn(mode: Mode, seen: unknown[]): Tool {
  return tool({
    name: 'weather',
    description: 'The weather of a city.',
    parameters,
    ...(mode === 'streaming' && { updates: { type: 'string' } }),
    run: async (args, { emit }) => {
      if (mode === 'streaming') await emit('looking')
      seen.push(args)
      return args
    },
  })
}

const wrong = { tool: 'weather', arguments: '{"days":70,"more":true}' }
const right = { tool: 'weather', arguments: '{"city":"Kyiv"}' }

describe.each(modes)('schemas and time, %s', (mode) => {
  it('schema_not_enforced_without_layer', async () => {
    const seen: unknown[] = []
    const { outcomes } = await play(mode, { tools: [toolset('local', weatherIn(mode, seen))], call: wrong })
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'completed', json: wrong.arguments })
    expect(seen).toEqual(outcomes.map(() => ({ days: 70, more: true })))
  })

  it('schema_enforced_with_strict_layer', async () => {
    const seen: unknown[] = []
    const weather = weatherIn(mode, seen)
    const bare = toolset('local', weather)
    const strict = inputSchema('strict')
    const scenes = [
      { tools: [toolset('local', weather.layer(strict))] },
      { tools: [bare.layer(strict)] },
      { tools: [bare], config: runConfig().layer(strict) },
    ]
    for (const scene of scenes) {
      const { outcomes } = await play(mode, { ...scene, call: wrong })
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'invalid_arguments' } })
        const issues = outcome.status === 'failed' && 'issues' in outcome.hint ? outcome.hint.issues : undefined
        expect(issues?.map(({ path }) => path)).toEqual(['/city', '/days', '/more'])
      }
      expect(seen).toEqual([])
    }
    const good = await play(mode, { tools: [bare.layer(strict)], call: right })
    for (const outcome of good.outcomes) expect(outcome).toMatchObject({ status: 'completed' })
  })

  it('timeout_layer', async () => {
    const never = () => new Promise(() => undefined)
    const scenes = [
      { tools: [toolIn(mode, never).layer(timeout(10))] },
      { tools: [toolIn(mode, never)], agent: (agent: BoundAgent) => agent.layer(timeout(10)) },
      { tools: [toolIn(mode, never)], config: runConfig().layer(timeout(10)) },
    ]
    for (const scene of scenes) {
      const { outcomes, run } = await play(mode, scene)
      for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'timeout' } })
      expect(run).toMatchObject({ status: 'completed', result: { text: 'done' } })
    }
  })
})
