import { describe, expect, it } from 'vitest'
import { getOrder, registrationOf, toolOf } from '../agents/orders.fixture.js'
import { allText, answer, failure, reasonOf } from '../agents/outcome.fixture.js'
import { type Effects, provenanced, Runtime, renderForModel, ToolFailure } from '../index.js'
import type { ToolOutcome } from '../types/outcome.js'

const call = getOrder.call({ orderId: 'A-1' })

function running(execute: () => unknown, runtime: Runtime = new Runtime()): Promise<ToolOutcome> {
  return runtime.registerToolset(registrationOf(getOrder, execute)).execute(call)
}

function throwing(thrown: unknown): Promise<ToolOutcome> {
  return running(() => {
    throw thrown
  })
}

/** Facts that the types forbid. */
function failureWith(facts: object): ToolFailure {
  return Object.assign(new ToolFailure('No.'), facts)
}

const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic
const evil = (key: string): ToolFailure =>
  Object.defineProperty(new ToolFailure('No.'), key, {
    get: () => {
      throw new Error('SECRET')
    },
  })

describe('a failure with hostile facts', () => {
  it.each<[string, ToolFailure]>([
    ['issues that are none', failureWith({ reason: 'invalid_arguments', issues: 5 })],
    ['an issue that is null', failureWith({ reason: 'invalid_arguments', issues: [null] })],
    [
      'an issue without facts',
      failureWith({ issues: [{ constraint: 'invalid_enum_value', path: '/a', message: 'm' }] }),
    ],
    [
      'an issue with a message that is none',
      failureWith({ issues: [{ constraint: 'check_failed', path: 5, message: 1n }] }),
    ],
    ['an issue that contains itself', failureWith({ issues: [cyclic] })],
    ['an example that contains itself', failureWith({ example: cyclic })],
    ['an example with a bigint', failureWith({ action: 'correct_call', example: { a: 1n } })],
    ['near names that are none', failureWith({ reason: 'unknown_tool', near: [1, null] })],
    ['a reason that is none', failureWith({ reason: 'nonsense' })],
    ...['message', 'reason', 'issues', 'example', 'action', 'near', 'retryAfterMs'].map(
      (key): [string, ToolFailure] => [`a ${key} that throws`, evil(key)],
    ),
  ])('is an outcome that can be shown and written: %s', async (_, thrown) => {
    const outcome = await throwing(thrown)
    expect(outcome.status).toBe('failed')
    expect(allText(outcome)).not.toContain('SECRET')
    const classified = await running(
      () => {
        throw new Error('x')
      },
      new Runtime({ classify: () => thrown }),
    )
    expect(allText(classified)).not.toContain('SECRET')
  })

  it.each([
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [-5, undefined],
    ['5', undefined],
    [1e308, 2_147_483_647],
    [1500, 1500],
  ])('says how long to wait only where it says so: %s', async (retryAfterMs, expected) => {
    const { hint } = failure(await throwing(failureWith({ reason: 'rate_limited', retryAfterMs })))
    expect('retryAfterMs' in hint ? hint.retryAfterMs : undefined).toBe(expected)
    expect(renderForModel(await throwing(failureWith({ reason: 'rate_limited', retryAfterMs })))).not.toMatch(/NaN|Inf/)
  })

  it('says at most 24.8 days for what a header asks', async () => {
    const { hint } = failure(await throwing(Object.assign(new Error('x'), { status: 429, retryAfter: 1e308 })))
    expect(hint).toMatchObject({ retryAfterMs: 2_147_483_647 })
  })

  it('is found among the causes of another error', async () => {
    const shown = new ToolFailure('Sold out.')
    const wrapped = Object.assign(new Error('SECRET', { cause: new Error('x', { cause: shown }) }), { status: 503 })
    expect(renderForModel(await throwing(wrapped))).toBe('Sold out. Try another way.')
  })

  it('keeps 20 issues and counts the others', async () => {
    const issues = Array.from(
      { length: 50 },
      (_, at) => ({ constraint: 'not_allowed', path: `/f${at}`, message: 'm' }) as const,
    )
    const outcome = failure(await throwing(new ToolFailure('No.', { issues })))
    expect(outcome.hint).toMatchObject({ issues: issues.slice(0, 20), moreIssues: 30 })
    expect(renderForModel(outcome)).toContain('42 more issues')
  })

  it('of many missing fields and one other fault says that the arguments are invalid', async () => {
    const missing = Array.from(
      { length: 30 },
      (_, at) => ({ constraint: 'missing_field', path: `/f${at}`, field: `f${at}`, message: 'm' }) as const,
    )
    const other = { constraint: 'not_allowed', path: '/x', message: 'm' } as const
    expect(
      reasonOf(await throwing(new ToolFailure('', { reason: 'missing_fields', issues: [...missing, other] }))),
    ).toBe('invalid_arguments')
    expect(reasonOf(await throwing(new ToolFailure('', { reason: 'invalid_arguments', issues: missing })))).toBe(
      'missing_fields',
    )
  })

  it('without issues shows its sentence alone', async () => {
    const outcome = await throwing(
      new ToolFailure('Which customer?', { reason: 'invalid_arguments', example: { a: 1 } }),
    )
    expect(renderForModel(outcome)).toBe('Invalid arguments: Which customer? Correct example: {"a":1}')
  })

  it('shows its sentence, its faults and its action', async () => {
    const issues = [{ constraint: 'check_failed', path: '/from', message: 'too early' }] as const
    const asked = new ToolFailure('At most 30 days may be asked for.', {
      reason: 'invalid_arguments',
      issues,
      example: 1,
    })
    expect(renderForModel(await throwing(asked))).toBe(
      'At most 30 days may be asked for. Invalid arguments: from: too early. Correct example: 1',
    )
    const long = `${'word '.repeat(80)}end.`
    expect(renderForModel(await throwing(new ToolFailure(long, { action: 'finish', issues })))).toBe(
      `${long} from: too early. Do not call it again.`,
    )
  })
})

describe('a runtime whose effects fail', () => {
  const broken = (): never => {
    throw new Error('SECRET')
  }

  it.each<[string, Effects]>([
    ['no clock', { now: broken, newId: () => 'id' }],
    ['no ids', { now: () => 1, newId: broken }],
  ])('answers with an internal failure: %s', async (_, effects) => {
    const outcome = await running(() => answer, new Runtime({ effects }))
    expect(reasonOf(outcome)).toBe('internal')
    expect(allText(outcome)).not.toContain('SECRET')
  })

  it('does so too when the clock fails late', async () => {
    let ticks = 0
    const now = (): number => {
      ticks += 1
      return ticks === 1 ? 1 : broken()
    }
    expect(reasonOf(await running(() => answer, new Runtime({ effects: { now, newId: () => 'id' } })))).toBe('internal')
  })
})

describe('hostile options', () => {
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()

  it.each<[string, unknown]>([
    [
      'a getter that throws',
      {
        get parentToolCallId(): never {
          throw new Error('SECRET')
        },
      },
    ],
    [
      'a signal that cannot be read',
      {
        get signal(): never {
          throw new Error('SECRET')
        },
      },
    ],
    ['a revoked proxy', revoked.proxy],
    ['a parent that is no text', { parentToolCallId: { a: 1n } }],
    ['a label that is no text', { labels: { tenant: 1n } }],
    ['a session that is no text', { sessionId: 5 }],
    ['something that only inherits from a signal', { signal: Object.create(AbortSignal.prototype) }],
  ])('are an internal failure before the tool runs: %s', async (_, options) => {
    let ran = false
    const toolset = new Runtime().registerToolset(
      registrationOf(getOrder, () => {
        ran = true
        return answer
      }),
    )
    const outcome = await toolset.execute(call, options as never)
    expect(reasonOf(outcome)).toBe('internal')
    expect(allText(outcome)).not.toContain('SECRET')
    expect(ran).toBe(false)
  })
})

describe('the provenance that an executor adds', () => {
  it.each<[unknown, object]>([
    [undefined, {}],
    [null, {}],
    [{ model: 5, service: 'v2' }, { service: 'v2' }],
    [{ extra: { a: 1n, b: 2, c: cyclic } }, { extra: { b: 2 } }],
    [{ extra: [1] }, {}],
  ])('is kept as far as it is JSON: %o', async (detail, kept) => {
    const outcome = await running(() => provenanced(answer, detail as never))
    expect(outcome.status).toBe('completed')
    const { tool, durationMs, attempts, ...rest } = outcome.provenance
    expect(rest).toEqual(kept)
    expect(() => JSON.stringify(outcome)).not.toThrow()
  })

  it('is a copy, and what is said last counts', async () => {
    const extra = { cache: 'hit' }
    const outcome = await running(() =>
      provenanced(provenanced(answer, { model: 'm', service: 'a' }), { service: 'b', extra }),
    )
    extra.cache = 'changed'
    expect(outcome).toMatchObject({
      status: 'completed',
      provenance: { model: 'm', service: 'b', extra: { cache: 'hit' } },
    })
  })
})

it('what a service answered is not shown where it breaks the contract', async () => {
  const strict = toolOf<{ orderId: string }, unknown>('orders.strict', {
    result: {
      type: 'object',
      properties: {
        status: { enum: ['open'] },
        mail: { type: 'string', format: 'email' },
        sku: { type: 'string', pattern: '^A' },
        either: {
          anyOf: [{ type: 'object', properties: { at: { format: 'date', type: 'string' } }, required: ['at'] }],
        },
      },
    },
  })
  const toolset = new Runtime().registerToolset(
    registrationOf(strict, () => ({ status: 'SECRET', mail: 'SECRET', sku: 'SECRET', either: { at: 'SECRET' } })),
  )
  const outcome = failure(await toolset.execute({ tool: 'orders.strict', arguments: '{"orderId":"A"}' }))
  expect(outcome.hint).toMatchObject({ reason: 'malformed_result' })
  expect('issues' in outcome.hint && outcome.hint.issues?.length).toBe(4)
  expect(allText(outcome)).not.toContain('SECRET')
})
