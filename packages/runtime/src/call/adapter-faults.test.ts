import { describe, expect, it } from 'vitest'
import { registrationOf, toolOf } from '../agents/orders.fixture.js'
import { allText, answer, failure, reasonOf } from '../agents/outcome.fixture.js'
import { Runtime } from '../index.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { JsonAdapter } from '../types/registration.js'

const tool = toolOf<{ orderId: string }, unknown, 'sessionId'>('orders.keyed', {
  arguments: {
    type: 'object',
    properties: {
      orderId: { type: 'string', minLength: 3 },
      quantity: { type: 'integer', minimum: 1 },
      apiKey: { type: 'string', pattern: '^sk-[a-z]+$' },
    },
    required: ['orderId', 'apiKey'],
  },
  spec: { serverOwned: [{ field: 'session', from: 'sessionId', schema: { type: 'string' } }] },
})

function send(json: string, payloadAdapter: JsonAdapter): Promise<ToolOutcome> {
  const toolset = new Runtime().registerToolset(registrationOf(tool, () => answer, { payloadAdapter }))
  return toolset.execute({ tool: 'orders.keyed', arguments: json }, { sessionId: 's' })
}

const adding =
  (fields: object): JsonAdapter =>
  (json) =>
    JSON.stringify({ ...JSON.parse(json), ...fields })
const good = { apiKey: 'sk-a' }

describe('a payload adapter whose arguments do not decode', () => {
  it.each<[string, JsonAdapter]>([
    ['no JSON', () => 'SECRET{'],
    ['a value that breaks a rule', adding({ apiKey: 'SECRET-1' })],
    ['a server-owned field', adding({ ...good, session: 'SECRET' })],
    ['a field less', () => '{"apiKey":"sk-a"}'],
  ])('fails internally, and nothing of it is shown: %s', async (_, adapter) => {
    const outcome = await send('{"orderId":"A-1"}', adapter)
    expect(reasonOf(outcome)).toBe('internal')
    expect(allText(outcome)).not.toContain('SECRET')
  })

  it('fails internally where it adds an unknown field: developers read its name, and no model does', async () => {
    const { error, hint } = failure(await send('{"orderId":"A-1"}', adding({ ...good, SECRET: 1 })))
    expect(error).toMatchObject({ reason: 'internal', issues: [{ path: '/SECRET', constraint: 'unknown_field' }] })
    expect(JSON.stringify([hint, error.message])).not.toContain('SECRET')
  })

  it.each<[string, string, JsonAdapter, readonly string[]]>([
    ['what the model got wrong itself', '{"quantity":0}', adding(good), ['/quantity', '/orderId']],
    ['only that, where both are wrong', '{"orderId":"x"}', adding({ apiKey: 'SECRET' }), ['/orderId']],
    ['an unknown field of the model', '{"orderId":"A-1","x":1}', adding(good), ['/x']],
    [
      'a value that the adapter moved',
      '{"order":"x"}',
      (json) => `{"orderId":"${JSON.parse(json).order}","apiKey":"sk-a"}`,
      ['/orderId'],
    ],
    ['a field that was missing in what the adapter unwrapped', '{"args":{}}', () => '{"apiKey":"sk-a"}', ['/orderId']],
    ['text that is no JSON', '{"orderId', () => '{"orderId!', ['']],
  ])('lets the model hear of %s', async (_, json, adapter, paths) => {
    const { hint } = failure(await send(json, adapter))
    expect('issues' in hint && hint.issues?.map((issue) => issue.path).sort()).toEqual([...paths].sort())
    expect(JSON.stringify(hint)).not.toContain('SECRET')
  })
})

it('an adapter cannot change the meta from which server-owned fields are filled', async () => {
  const seen: unknown[] = []
  const registration = registrationOf(
    tool,
    async (request) => {
      seen.push(await request.payload())
      return answer
    },
    {
      payloadAdapter: (json, { meta }) => {
        Reflect.set(meta, 'sessionId', 'STOLEN')
        Reflect.set(meta.labels, 'tenant', 'STOLEN')
        return adding(good)(json, { meta } as never)
      },
    },
  )
  const toolset = new Runtime().registerToolset(registration)
  await toolset.execute(
    { tool: 'orders.keyed', arguments: '{"orderId":"A-1"}' },
    { sessionId: 's', labels: { tenant: 't' } },
  )
  await toolset.execute(
    { tool: 'orders.keyed', arguments: '{"orderId":"A-1"}' },
    { sessionId: 's', signal: new AbortController().signal },
  )
  expect(seen).toEqual([
    { orderId: 'A-1', apiKey: 'sk-a', session: 's' },
    { orderId: 'A-1', apiKey: 'sk-a', session: 's' },
  ])
})
