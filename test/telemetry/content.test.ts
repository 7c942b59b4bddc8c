import {
  type Issue,
  provenanced,
  Runtime,
  ToolFailure,
  type ToolsetRegistration,
  tool,
  toolset,
} from '@toolgen/runtime'
import { otelTracer } from '@toolgen/runtime/otel'
import { describe, expect, it } from 'vitest'
import { recordTelemetry } from './recorded-telemetry.js'

const echo = (run: (args: unknown) => unknown): ToolsetRegistration =>
  toolset('local', tool({ name: 'echo', description: 'd'.repeat(3_000), parameters: {}, run }))

async function attributesOf(
  registration: ToolsetRegistration,
  { captureContent, sent = '{"name":"Ada"}' }: { readonly captureContent?: boolean; readonly sent?: string } = {},
) {
  const telemetry = recordTelemetry()
  const tracer = otelTracer({ ...telemetry, ...(captureContent !== undefined && { captureContent }) })
  const outcome = await new Runtime({ tracer }).registerToolset(registration).execute({ tool: 'echo', arguments: sent })
  const [span] = telemetry.trees()
  if (span === undefined) throw new Error('there is no span')
  return { ...span, outcome }
}

describe('what a span says of the content', () => {
  it('nothing, unless it was asked for', async () => {
    const { attributes } = await attributesOf(echo((args) => args))
    expect(attributes).not.toHaveProperty('gen_ai.tool.call.arguments')
    expect(attributes).not.toHaveProperty('gen_ai.tool.call.result')
    expect(JSON.stringify(attributes)).not.toContain('Ada')
  })

  it('arguments and result as JSON text', async () => {
    const { attributes } = await attributesOf(
      echo(() => ({ ok: true })),
      { captureContent: true },
    )
    expect(attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"name":"Ada"}',
      'gen_ai.tool.call.result': '{"ok":true}',
    })
  })

  it('the message of a failure', async () => {
    const failing = echo(() => {
      throw new ToolFailure('Ada is away.', { reason: 'domain_rejection', action: 'replan' })
    })
    expect(await attributesOf(failing, { captureContent: true })).toMatchObject({
      status: 'ERROR',
      message: 'Ada is away.',
    })
    expect(await attributesOf(failing)).not.toHaveProperty('message')
  })

  it('defect 8: the constraints and the places of issues, bounded, and their sentences where it was asked for', async () => {
    const issues = Array.from({ length: 30 }, (_, index): Issue => {
      return { constraint: 'check_failed', path: `/${'x'.repeat(300)}/${index}`, message: 'Ada is too old.' }
    })
    const failing = echo(() => {
      throw new ToolFailure('No.', { issues: [{ constraint: 'check_failed', path: '', message: 'Ada.' }, ...issues] })
    })
    const { attributes } = await attributesOf(failing)
    const listed = attributes['toolgen.call.issues']
    expect(attributes['toolgen.call.issue_count']).toBe(31)
    expect(Array.isArray(listed) && [listed.length, listed[0]]).toEqual([20, 'check_failed'])
    expect(Array.isArray(listed) && listed.every((each) => String(each).length <= 256)).toBe(true)
    expect(JSON.stringify(attributes)).not.toContain('Ada')
    const whole = await attributesOf(failing, { captureContent: true })
    expect(whole.attributes['toolgen.call.issues']).toContain('check_failed: Ada.')
    const { attributes: plain } = await attributesOf(echo(() => 1))
    expect(plain).not.toHaveProperty('toolgen.call.issues')
  })

  it('no more than 8,192 characters, and no half of a character', async () => {
    const long = `"${'x'.repeat(8_189)}😀😀"`
    const { attributes } = await attributesOf(
      echo((args) => args),
      { captureContent: true, sent: long },
    )
    expect(attributes['gen_ai.tool.call.arguments']).toBe(`"${'x'.repeat(8_189)}…`)
    expect(attributes['gen_ai.tool.call.result']).toBe(`"${'x'.repeat(8_189)}…`)
    expect(String(attributes['gen_ai.tool.description'])).toHaveLength(1_024)
  })
})

describe('what a span says of the provenance', () => {
  it('service, model and tokens where the executor gave them', async () => {
    const told = echo(() =>
      provenanced('done', { service: 'search-v2', model: 'small-1', extra: { promptTokens: 12, completionTokens: 3 } }),
    )
    expect((await attributesOf(told)).attributes).toMatchObject({
      'toolgen.call.service': 'search-v2',
      'toolgen.call.model': 'small-1',
      'toolgen.call.structured': false,
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 3,
    })
  })

  it('the attributes of the telemetry builder under their own prefix, as OpenTelemetry can hold them', async () => {
    const built: ToolsetRegistration = {
      ...echo(() => 'done'),
      telemetryBuilder: () => ({
        tenant: 'acme',
        cached: true,
        rows: 3,
        tags: ['a', 'b'],
        mixed: ['a', 1],
        shop: { city: 'Oslo' },
        none: null,
        'error.type': 'mine',
        long: 'x'.repeat(10_000),
      }),
    }
    const { attributes } = await attributesOf(built)
    const own = Object.entries(attributes).filter(([name]) => name.startsWith('toolgen.attributes.'))
    expect(Object.fromEntries(own)).toEqual({
      'toolgen.attributes.tenant': 'acme',
      'toolgen.attributes.cached': true,
      'toolgen.attributes.rows': 3,
      'toolgen.attributes.tags': ['a', 'b'],
      'toolgen.attributes.mixed': '["a",1]',
      'toolgen.attributes.shop': '{"city":"Oslo"}',
      'toolgen.attributes.error.type': 'mine',
      'toolgen.attributes.long': `${'x'.repeat(8_191)}…`,
    })
    expect(attributes).not.toHaveProperty('error.type')
  })

  it('hostile names and values of a builder harm nothing', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    const built: ToolsetRegistration = {
      ...echo(() => 'done'),
      telemetryBuilder: () =>
        JSON.parse('{"__proto__": "a", "constructor": "b"}', (key, value) =>
          key === '' ? Object.assign(value, { cyclic }) : value,
        ),
    }
    const { attributes, outcome } = await attributesOf(built)
    expect(outcome.status).toBe('completed')
    expect(attributes).toMatchObject({
      'toolgen.attributes.__proto__': 'a',
      'toolgen.attributes.constructor': 'b',
      'toolgen.call.status': 'completed',
    })
    expect(attributes).not.toHaveProperty('toolgen.attributes.cyclic')
  })
})
