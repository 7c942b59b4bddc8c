import { request as octokit } from '@octokit/request'
import axios from 'axios'
import OpenAI from 'openai'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { internal, timedOut } from './client-suite.js'
import { type Service, startService } from './service.js'
import { NOW, SECRET, told, toldOfChange } from './thrown.js'

describe('answers that say more than their status', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  const readUser = (): Promise<unknown> => octokit('GET /user', { baseUrl: service.url })

  it('the limit of GitHub, with the second at which it ends', async () => {
    const reset = String(NOW / 1000 + 60)
    service.answer = { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } }
    expect(await told(readUser)).toEqual({ reason: 'rate_limited', action: 'wait', retryAfterMs: 60_000 })
  })

  it('a refusal of GitHub while the limit is not reached', async () => {
    const reset = String(NOW / 1000 + 60)
    service.answer = { status: 403, headers: { 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': reset } }
    expect(await told(readUser)).toEqual({ reason: 'denied', action: 'replan' })
  })

  it('an account of OpenAI without credit, which does not fill up by waiting', async () => {
    const client = new OpenAI({ apiKey: 'x', baseURL: service.url, maxRetries: 0 })
    const error = { message: SECRET, type: 'insufficient_quota', code: 'insufficient_quota' }
    service.answer = { status: 429, body: JSON.stringify({ error }) }
    expect(await told(() => client.models.list())).toEqual({ reason: 'denied', action: 'replan' })
    const limit = { message: SECRET, type: 'requests', code: 'rate_limit_exceeded' }
    service.answer = { status: 429, body: JSON.stringify({ error: limit }), headers: { 'retry-after-ms': '150' } }
    expect(await told(() => client.models.list())).toEqual({
      reason: 'rate_limited',
      action: 'wait',
      retryAfterMs: 150,
    })
  })

  it('a card that Stripe declined', async () => {
    const { hostname: host, port } = new URL(service.url)
    const client = new Stripe('sk_test_x', { host, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
    const error = { message: SECRET, type: 'card_error', code: 'card_declined', decline_code: 'generic_decline' }
    service.answer = { status: 402, body: JSON.stringify({ error }) }
    expect(await told(() => client.paymentIntents.confirm('pi_1'))).toEqual({
      reason: 'domain_rejection',
      action: 'replan',
    })
  })

  it('an answer of status 200 that axios cannot parse', async () => {
    service.answer = { status: 200, body: `{"${SECRET}` }
    const strict = { responseType: 'json', transitional: { silentJSONParsing: false } } as const
    expect(await told(() => axios.get(service.url, strict))).toEqual(internal)
  })

  it('a time-out of a tool that changes things is no reason to try again', async () => {
    service.answer = { status: 504 }
    expect(await told(readUser)).toEqual(timedOut)
    expect(await toldOfChange(readUser)).toEqual({ reason: 'timeout', action: 'replan' })
  })
})
