import { type Classify, ToolFailure } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { cancelled, internal, timedOut, unavailable } from './client-suite.js'
import { SECRET, told } from './thrown.js'

const error = (facts: object): Error => Object.assign(new Error(SECRET), facts)

describe('errors that look like those of a protocol', () => {
  it.each<[string, unknown]>([
    ['a small numeric code', error({ code: 5 })],
    ['a small numeric code with details of its own', error({ code: 14, details: { orderId: 'A-1' } })],
    ['a small numeric code with metadata of its own', error({ code: 8, metadata: { orderId: 'A-1' } })],
    ['a numeric code that is a status only by chance', error({ code: 404 })],
    ['a code as text of five characters', error({ code: 'A1001' })],
    ["a code of an ORM's", error({ code: 'P2002' })],
    ['a code in a class of SQLSTATE, from no database', error({ code: '40004' })],
    ['a SQLSTATE that is not in capitals', error({ code: '22p02', severity: 'ERROR' })],
    ['a status in words', error({ status: 'open', response: { status: 'late' } })],
    ['a status that is none of HTTP', error({ status: 3, statusCode: 700 })],
    ['a status of success', error({ status: 200, headers: { 'retry-after': '5' } })],
    ['a status as text', error({ status: '503' })],
    ['a type that is not one of Stripe', error({ type: 'card_error', detail: error({ status: 429 }) })],
    ['an exception of AWS from elsewhere', error({ name: 'AccessDeniedException' })],
    ['a code that is a name of all objects', error({ code: '__proto__', name: 'constructor', type: 'toString' })],
    ['a message that tells everything', new Error('429 Too Many Requests ECONNREFUSED TimeoutError')],
  ])('%s says nothing', async (_, thrown) => {
    expect(await told(() => Promise.reject(thrown))).toEqual(internal)
  })

  it('a cause behind a code that says nothing still counts', async () => {
    for (const code of ['A1001', 'P2024', 5, 'ERR_ORDERS'])
      expect(await told(() => Promise.reject(error({ code, cause: error({ code: 'ECONNRESET' }) })))).toEqual(
        unavailable,
      )
  })

  it('a status that was answered counts more than what came before it', async () => {
    const facts = { status: 503, response: { status: 503 }, cause: new DOMException(SECRET, 'AbortError') }
    expect(await told(() => Promise.reject(error(facts)))).toEqual(unavailable)
    const unanswered = { status: 500, cause: new DOMException(SECRET, 'AbortError') }
    expect(await told(() => Promise.reject(error(unanswered)))).toEqual(cancelled)
    const lost = { code: 'ERR_NETWORK', cause: new TypeError(SECRET, { cause: error({ code: 'ETIMEDOUT' }) }) }
    expect(await told(() => Promise.reject(error(lost)))).toEqual(timedOut)
  })
})

describe('errors that defend themselves', () => {
  const refuse = (): never => {
    throw new Error(SECRET)
  }
  const traps: ProxyHandler<object> = {
    get: refuse,
    has: refuse,
    ownKeys: refuse,
    getPrototypeOf: refuse,
    getOwnPropertyDescriptor: refuse,
  }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const facts = ['status', 'response', 'headers', 'code', 'name', 'constructor', 'cause', 'errors', '$metadata', 'type']
  const getters = Object.fromEntries(facts.map((fact) => [fact, { get: refuse }]))
  const endless: object = new Proxy({}, { get: (_, key) => (key === 'then' ? undefined : endless) })

  it.each<[string, () => unknown]>([
    ['a proxy that refuses everything', () => new Proxy({}, traps)],
    ['a proxy that was revoked', () => revoked.proxy],
    ['getters that throw', () => Object.defineProperties(new Error(SECRET), getters)],
    ['an object that contains itself everywhere', () => endless],
    ['nothing', () => undefined],
    ['a number that would be a status', () => 429],
    ['text', () => `429 ${SECRET}`],
  ])('%s', async (_, thrown) => {
    const failing = (): never => {
      throw thrown()
    }
    expect(await told(failing)).toEqual(internal)
  })
})

describe('the classifier of an application', () => {
  class StockError extends Error {
    readonly kind = 'StockError'
  }
  const classify: Classify = (thrown) => {
    if (thrown instanceof StockError) return new ToolFailure('Only 3 are in stock.', { action: 'correct_call' })
    return thrown instanceof RangeError ? 'unavailable' : undefined
  }
  const toldWith = (thrown: unknown, own: Classify = classify): Promise<unknown> =>
    told(() => Promise.reject(thrown), own)

  it('speaks first, for the model or by a reason alone', async () => {
    expect(await toldWith(new StockError(SECRET))).toEqual({ reason: 'domain_rejection', action: 'correct_call' })
    expect(await toldWith(new RangeError(SECRET))).toEqual(unavailable)
    expect(await toldWith(error({ status: 429, headers: { 'retry-after': '7' } }), () => 'unavailable')).toEqual({
      ...unavailable,
      retryAfterMs: 7000,
    })
  })

  it('leaves to the table what it does not know, and where it breaks', async () => {
    expect(await toldWith(error({ status: 503 }))).toEqual(unavailable)
    const broken: Classify = () => {
      throw new Error(SECRET)
    }
    expect(await toldWith(error({ status: 503 }), broken)).toEqual(unavailable)
  })
})
