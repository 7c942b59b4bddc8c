import { describe, expect, it } from 'vitest'
import { Runtime } from '../agents/runtime.js'
import { ToolFailure } from '../call/tool-failure.js'
import { inputSchema, timeout, transformOutput } from '../layers/built-in.js'
import { type ToolDefinition, tool, toolset } from './function-tools.js'

const city: ToolDefinition = {
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city: name }) => ({ name, degrees: 21 }),
}
const run = (definition: ToolDefinition, json = '{"city":"Kyiv"}') =>
  new Runtime().registerToolset(toolset('local', tool(definition))).execute({ tool: 'local.weather', arguments: json })

describe('a hand-written tool', () => {
  it('answers by its id and by its own name', async () => {
    const local = new Runtime().registerToolset(toolset('local', tool(city)))
    for (const name of ['local.weather', 'weather']) {
      expect(await local.execute({ tool: name, arguments: '{"city":"Kyiv"}' })).toMatchObject({
        status: 'completed',
        call: { tool: 'local.weather' },
        json: '{"name":"Kyiv","degrees":21}',
        provenance: { tool: 'local.weather', attempts: 1 },
      })
    }
    expect(local.specs).toMatchObject([
      { id: 'local.weather', toolName: 'weather', provider: 'function', arguments: city.parameters, annotations: {} },
    ])
  })

  it('takes its name from its function', () => {
    const { name: _, ...nameless } = city
    function forecast(): string {
      return 'fine'
    }
    expect(tool({ ...nameless, run: forecast }).name).toBe('forecast')
    expect(() => tool({ ...nameless, run: () => 1 })).toThrow('the tool has no name')
  })

  it.each(['', 'with space', 'dot.ted', 'x'.repeat(65), 'ünicode'])('cannot be called %j', (name) => {
    expect(() => tool({ ...city, name })).toThrow(TypeError)
  })

  it.each(['constructor', '__proto__', 'toString'])('may be called %s', async (name) => {
    const local = new Runtime().registerToolset(toolset('local', tool({ ...city, name })))
    expect(await local.execute({ tool: name, arguments: '{}' })).toMatchObject({ status: 'completed' })
  })

  it('of the same name twice is refused', () => {
    expect(() => toolset('local', tool(city), tool(city))).toThrow("two tools have the name 'weather'")
    const once = tool(city)
    expect(() => toolset('local', once, once)).toThrow("two tools have the name 'weather'")
  })

  it('fails as any other tool does', async () => {
    const fails = (error: unknown): ToolDefinition => ({
      ...city,
      run: () => {
        throw error
      },
    })
    expect(await run(fails(new ToolFailure('No such city.')))).toMatchObject({
      hint: { reason: 'domain_rejection', message: 'No such city.' },
    })
    const hidden = await run(fails(new Error('secret')))
    expect(hidden).toMatchObject({ hint: { reason: 'internal' } })
    expect(JSON.stringify(hidden)).not.toContain('secret')
    expect(await run(city, '{"city":')).toMatchObject({ hint: { reason: 'invalid_arguments' } })
  })

  it('shows its arguments as they were sent', async () => {
    const args = '{"__proto__":{"a":1},"more":[1.5,"\\u00e4"],"city":null}'
    expect(await run({ ...city, run: (sent) => sent }, args)).toMatchObject({
      json: '{"__proto__":{"a":1},"more":[1.5,"ä"],"city":null}',
    })
  })

  it('emits updates where it declares them', async () => {
    const counts: ToolDefinition = {
      ...city,
      updates: { type: 'integer' },
      run: async (_, { emit }) => {
        await emit(1)
        await emit(2)
        return 'done'
      },
    }
    const updates: string[] = []
    const local = new Runtime().registerToolset(toolset('local', tool(counts)))
    const onUpdate = (update: string): void => void updates.push(update)
    expect((await local.execute({ tool: 'weather', arguments: '{}' }, { onUpdate })).status).toBe('completed')
    expect(updates).toEqual(['1', '2'])
    const { updates: _, ...silent } = counts
    expect(await run(silent)).toMatchObject({ status: 'failed', hint: { reason: 'internal' } })
  })

  it('keeps its own layers, inside those of the toolset', async () => {
    const says = (word: string) => transformOutput((json) => json.replace('}', ` ${word}}`))
    const layered = tool(city).layer(timeout(1_000)).layer(inputSchema('strict')).layer(says('own'))
    const local = new Runtime().registerToolset(toolset('local', layered).layer(says('all')))
    expect(await local.execute({ tool: 'weather', arguments: '{"city":"Kyiv"}' })).toMatchObject({
      json: '{"name":"Kyiv","degrees":21 own all}',
    })
    expect(await local.execute({ tool: 'weather', arguments: '{}' })).toMatchObject({
      hint: { reason: 'missing_fields' },
    })
    expect((await run(city, '{}')).status).toBe('completed')
  })
})
