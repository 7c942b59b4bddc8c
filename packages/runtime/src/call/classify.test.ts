import { describe, expect, it, vi } from 'vitest'
import { vendorErrors } from '../adapters/vendor-errors.js'
import { type Classify, classify as classifyWith } from './classify.js'
import { isToolFailure, ToolFailure } from './tool-failure.js'

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0)
const classify = (error: unknown, now: number, application?: Classify) =>
  classifyWith(error, now, { classify: application, errorRules: vendorErrors })
const reasonOf = (error: unknown): string => classify(error, NOW).reason
const error = (facts: object): Error => Object.assign(new Error('SECRET /etc/passwd'), facts)

describe('the classifier', () => {
  it.each([
    [{ status: 400 }, 'domain_rejection', 'correct_call'],
    [{ status: 401 }, 'denied', undefined],
    [{ status: 403 }, 'denied', undefined],
    [{ status: 404 }, 'domain_rejection', undefined],
    [{ status: 405 }, 'internal', undefined],
    [{ status: 408 }, 'timeout', undefined],
    [{ status: 409 }, 'domain_rejection', undefined],
    [{ status: 418 }, 'domain_rejection', undefined],
    [{ status: 422 }, 'domain_rejection', 'correct_call'],
    [{ status: 429 }, 'rate_limited', undefined],
    [{ statusCode: 500 }, 'unavailable', undefined],
    [{ response: { status: 501 } }, 'internal', undefined],
    [{ response: { statusCode: 503 } }, 'unavailable', undefined],
    [{ $metadata: { httpStatusCode: 504 } }, 'timeout', undefined],
    [{ status: 403, headers: { 'Retry-After': '3' } }, 'rate_limited', undefined],
    [{ status: 403, headers: new Headers({ 'x-ratelimit-remaining': '0' }) }, 'rate_limited', undefined],
    [{ name: 'ThrottlingException', $metadata: { httpStatusCode: 400 } }, 'rate_limited', undefined],
    [{ $retryable: { throttling: true }, $metadata: { httpStatusCode: 400 } }, 'rate_limited', undefined],
    [{ code: 'ECONNREFUSED' }, 'unavailable', undefined],
    [{ code: 'ENOTFOUND' }, 'unavailable', undefined],
    [{ code: 'EAI_AGAIN' }, 'unavailable', undefined],
    [{ code: 'EPIPE' }, 'unavailable', undefined],
    [{ code: 'ECONNRESET' }, 'unavailable', undefined],
    [{ code: 'ETIMEDOUT' }, 'timeout', undefined],
    [{ code: 'UND_ERR_HEADERS_TIMEOUT' }, 'timeout', undefined],
    [{ code: 'UND_ERR_SOCKET' }, 'unavailable', undefined],
    [{ code: 'ENOENT' }, 'internal', undefined],
    [{ code: 'EPERM' }, 'internal', undefined],
    [{ name: 'AbortError' }, 'cancelled', undefined],
    [{ name: 'TimeoutError' }, 'timeout', undefined],
    [{ code: -32602 }, 'domain_rejection', 'correct_call'],
    [{ code: -32601 }, 'internal', undefined],
    [{ code: -32001 }, 'timeout', undefined],
    [{ code: -32050 }, 'unavailable', undefined],
    [{ code: 3, details: 'x' }, 'domain_rejection', 'correct_call'],
    [{ code: 4, details: 'x' }, 'timeout', undefined],
    [{ code: 8, metadata: new Map() }, 'rate_limited', undefined],
    [{ code: 8, metadata: {} }, 'internal', undefined],
    [{ code: 8, details: { orderId: 'A-1' } }, 'internal', undefined],
    [{ code: 14, details: 'x' }, 'unavailable', undefined],
    [{ code: 14 }, 'internal', undefined],
    [{ code: '23505' }, 'domain_rejection', undefined],
    [{ code: '22P02' }, 'domain_rejection', 'correct_call'],
    [{ code: '40P01' }, 'unavailable', undefined],
    [{ code: '08006' }, 'unavailable', undefined],
    [{ code: '57014' }, 'timeout', undefined],
    [{ code: '42P01' }, 'internal', undefined],
    [{ code: '42501' }, 'denied', undefined],
    [{ code: 'P0001' }, 'domain_rejection', undefined],
    [{ code: 'slack_webapi_rate_limited_error', retryAfter: 7 }, 'rate_limited', undefined],
    [{}, 'internal', undefined],
    [{ status: 'open', code: 'whatever' }, 'internal', undefined],
    [{ status: 200 }, 'internal', undefined],
  ])('reads %j as %s', (facts, reason, action) => {
    const failure = classify(error(facts), NOW)
    expect([failure.reason, failure.action]).toEqual([reason, action])
    expect(failure.message).not.toContain('SECRET')
  })

  it.each([
    [{ headers: { 'retry-after': '2' } }, 2000],
    [{ headers: { 'Retry-After': ['2.5'] } }, 2500],
    [{ headers: new Headers({ 'Retry-After': '4' }) }, 4000],
    [{ headers: new Map([['Retry-After', '5']]) }, 5000],
    [{ response: { headers: [['retry-after', '6']] } }, 6000],
    [{ headers: ['Date', 'x', 'Retry-After', '7'] }, 7000],
    [{ headers: { 'retry-after-ms': '150', 'retry-after': '1' } }, 150],
    [{ headers: { 'retry-after': 'Sat, 31 Jan 2026 12:00:30 GMT' } }, 30_000],
    [{ headers: { 'retry-after': 'Sat, 31 Jan 2026 11:00:00 GMT' } }, 0],
    [{ headers: { 'retry-after': 'soon' } }, undefined],
    [{ headers: { 'retry-after': '-1' } }, undefined],
    [{ headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 9) } }, 9000],
    [{ headers: { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': String(NOW / 1000 + 9) } }, undefined],
    [{ headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' } }, undefined],
    [{ retryAfter: 8 }, 8000],
    [{ retryAfterMs: 9 }, 9],
    [{ retryAfter: Number.NaN }, undefined],
    [{ parameters: { retry_after: 3 } }, 3000],
  ])('reads how long to wait from %j', (facts, milliseconds) => {
    expect(classify(error({ status: 429, ...facts }), NOW).retryAfterMs).toBe(milliseconds)
  })

  it.each(['America/New_York', 'Asia/Tokyo'])('reads all three forms of an HTTP date in %s', (zone) => {
    vi.stubEnv('TZ', zone)
    const dates = ['Sat, 31 Jan 2026 12:00:30 GMT', 'Saturday, 31-Jan-26 12:00:30 GMT', 'Sat Jan 31 12:00:30 2026']
    const waits = dates.map(
      (date) => classify(error({ status: 429, headers: { 'retry-after': date } }), NOW).retryAfterMs,
    )
    const isLocal = new Date(2026, 0, 31).getTime() !== Date.UTC(2026, 0, 31)
    vi.unstubAllEnvs()
    expect(isLocal).toBe(true)
    expect(waits).toEqual([30_000, 30_000, 30_000])
  })

  it('looks through causes and the first of an aggregate, the outermost fact first', () => {
    expect(reasonOf(new TypeError('fetch failed', { cause: error({ code: 'ECONNREFUSED' }) }))).toBe('unavailable')
    expect(reasonOf(new AggregateError([error({ code: 'ETIMEDOUT' })]))).toBe('timeout')
    expect(reasonOf(new Error('x', { cause: new Error('y', { cause: error({ status: 429 }) }) }))).toBe('rate_limited')
    expect(reasonOf(Object.assign(error({ status: 404 }), { cause: error({ status: 500 }) }))).toBe('domain_rejection')
  })

  it('ends on causes that go in a circle', () => {
    const circle: Error = new Error('x')
    circle.cause = circle
    expect(reasonOf(circle)).toBe('internal')
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'status 429'],
    ['a number', 429],
    ['a symbol', Symbol('x')],
    ['a function', () => 429],
    ['a null prototype', Object.create(null)],
    ['text in the message', new Error('HTTP 429 Too Many Requests, Retry-After: 1')],
    [
      'throwing getters',
      Object.defineProperties(new Error('x'), {
        status: {
          get: () => {
            throw new Error('no')
          },
        },
        cause: {
          get: () => {
            throw new Error('no')
          },
        },
        name: {
          get: () => {
            throw new Error('no')
          },
        },
      }),
    ],
    ['a revoked proxy', revoked()],
    [
      'a proxy that answers everything',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('trap')
          },
          getPrototypeOf: () => {
            throw new Error('trap')
          },
        },
      ),
    ],
    [
      'endless headers',
      {
        headers: {
          *[Symbol.iterator]() {
            for (;;) yield ['a', 'b']
          },
        },
      },
    ],
  ])('survives %s', (_, thrown) => {
    expect(reasonOf(thrown)).toBe('internal')
  })

  it('bounds the look at endless headers', () => {
    const headers = {
      *[Symbol.iterator](): Generator<string[]> {
        for (;;) yield ['a', 'b']
      },
    }
    expect(classify(error({ status: 429, headers }), NOW).retryAfterMs).toBeUndefined()
  })

  it('asks the application first', () => {
    expect(classify(error({ status: 500 }), NOW, () => 'denied').reason).toBe('denied')
    expect(classify(error({ status: 500 }), NOW, () => undefined).reason).toBe('unavailable')
    expect(classify(error({ status: 500, retryAfter: 1 }), NOW, () => 'rate_limited').retryAfterMs).toBe(1000)
    const wrapped = new Error('x', { cause: error({ headers: { 'retry-after': '2' } }) })
    expect(classify(wrapped, NOW, () => 'rate_limited').retryAfterMs).toBe(2000)
    expect(classify(error({}), NOW, () => new ToolFailure('Sold out.')).message).toBe('Sold out.')
    const throwing = (): never => {
      throw new Error('the classifier is broken')
    }
    expect(classify(error({ status: 429 }), NOW, throwing).reason).toBe('rate_limited')
  })

  it.each([
    [{ code: '23505', severity: 'ERROR' }, 'domain_rejection'],
    [{ $metadata: { httpStatusCode: 504 } }, 'timeout'],
    [{ code: 4, details: 'x' }, 'timeout'],
    [{ isBrokenCircuitError: true }, 'unavailable'],
    [{ type: 'StripeConnectionError' }, 'unavailable'],
    [{ name: 'APIConnectionTimeoutError' }, 'timeout'],
  ])('knows %j by a rule only', (facts, reason) => {
    expect(classifyWith(error(facts), NOW).reason).toBe('internal')
    expect(reasonOf(error(facts))).toBe(reason)
  })

  it('asks the rules in order, before its own facts; a rule that throws knows nothing', () => {
    const throwing = {
      classify: () => {
        throw new Error('the rule is broken')
      },
    }
    const own = { classify: () => ({ reason: 'denied' }) as const }
    const later = { classify: () => ({ reason: 'cancelled' }) as const }
    const errorRules = [throwing, {}, own, later]
    expect(classifyWith(error({ status: 500 }), NOW, { errorRules }).reason).toBe('denied')
    expect(classifyWith(error({ status: 500 }), NOW, { errorRules: [throwing] }).reason).toBe('unavailable')
  })

  it('takes a failure that was thrown for the model at its word', () => {
    const failure = new ToolFailure('Order has shipped.', { action: 'finish' })
    expect(classify(failure, NOW, () => 'internal')).toEqual({
      reason: 'domain_rejection',
      message: 'Order has shipped.',
      action: 'finish',
    })
  })
})

describe('isToolFailure', () => {
  it('knows a failure of another copy of the package by its name and reason', () => {
    expect(isToolFailure(Object.assign(new Error('x'), { name: 'ToolFailure', reason: 'denied' }))).toBe(true)
    expect(isToolFailure(Object.assign(new Error('x'), { name: 'ToolFailure', reason: '__proto__' }))).toBe(false)
    expect(isToolFailure({ name: 'ToolFailure', reason: 'denied', message: 'x' })).toBe(false)
    expect(isToolFailure(revoked())).toBe(false)
  })
})

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
