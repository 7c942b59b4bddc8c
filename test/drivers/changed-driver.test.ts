import { describe, expect, it } from 'vitest'
import { modelPlanner } from '../../packages/runtime/src/agents/model-planner.js'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { Runtime } from '../../packages/runtime/src/index.js'
import type { ChatMessage } from '../../packages/runtime/src/types/chat.js'
import { apis } from './apis.js'
import { type Answer, type Api, apiServer, SIGNATURE, says } from './scripted-api.js'

const call = (id: string, json: string) => ({ id, name: 'orders_getOrder', arguments: json })

async function run(api: Api, messages: readonly ChatMessage[], ...answers: readonly Answer[]) {
  const server = await apiServer(api, ...answers)
  const agent = new Runtime().registerAgent(
    { name: 'support', description: 'Answers.' },
    [registrationOf(toolOf('orders.getOrder'), () => ({ id: 'A-1', total: 37 }))],
    { planner: modelPlanner(api.driver(server.baseURL, { stream: false, retry: { attempts: 1 } })) },
  )
  return { ended: await agent.run({ messages }), bodies: server.bodies.map((body) => JSON.stringify(body)) }
}

const user = (content: string): ChatMessage => ({ role: 'user', content })

describe.each(apis)('a conversation that $name began', (from) => {
  it.each(apis.filter((api) => api !== from))('is continued by $name', async (to) => {
    const thinks = says({
      reasoning: 'Hm.',
      text: 'I look.',
      calls: [call('c-1', '{"orderId":"A-1"}'), call('c-2', '{"orderId":"B')],
    })
    const { ended: first } = await run(from, [user('Where?')], thinks, says({ reasoning: 'So.', text: 'Shipped.' }))
    expect(first).toMatchObject({ status: 'completed', result: { text: 'Shipped.' } })
    const { ended, bodies } = await run(to, [...first.messages, user('When?')], says('Today.'))
    expect(ended).toMatchObject({ status: 'completed', result: { text: 'Today.' } })
    const texts = ['Where?', 'I look.', 'A-1', '37', 'Shipped.', 'When?']
    const positions = texts.map((text) => bodies[0]?.indexOf(text) ?? -1)
    expect(positions).not.toContain(-1)
    // Some APIs receive the instructions and tools first, which contain none of these texts.
    expect(positions).toEqual([...positions].sort((a, b) => a - b))
    expect(bodies[0]).not.toMatch(new RegExp(`${SIGNATURE}|provider_data`))
  })
})

describe.each(apis.filter(({ name }) => name !== 'openAiDriver'))('calls of a conversation for $name', (api) => {
  it.each([
    ['characters', 'a:1', 'a_1'],
    ['more than 64 characters', `${'x'.repeat(70)}1`, `${'x'.repeat(70)}2`],
  ])('keep different ids if the API rejects their %s', async (_, ...ids) => {
    const messages: ChatMessage[] = [
      user('Where?'),
      {
        role: 'assistant',
        content: null,
        tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'orders_getOrder', arguments: '{}' } })),
      },
      ...ids.map((id): ChatMessage => ({ role: 'tool', tool_call_id: id, content: 'Shipped.' })),
    ]
    const { ended, bodies } = await run(api, messages, says('Ok.'))
    expect(ended.status).toBe('completed')
    const sent = [...(bodies[0] ?? '').matchAll(/"(?:id|call_id|tool_call_id|tool_use_id)":"([^"]+)"/g)].map(
      ([, id]) => id,
    )
    expect(new Set(sent).size).toBe(2)
    expect(sent).toHaveLength(4)
    for (const id of sent) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })
})
