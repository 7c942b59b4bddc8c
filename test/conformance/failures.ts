import type { Difference } from './provider.js'

/** A failing call and its expected hint. */
export interface Failure {
  readonly sent: string
  readonly tool?: string
  readonly hint: object
  readonly text: string
  /** Difference of a provider that changes the outcome, and the expected hint and text for it. */
  readonly without?: { readonly what: Difference; readonly comes: object; readonly text?: string }
}

const example = { orderId: 'A-1' }
const ofOrder = (orderId: string): string => JSON.stringify({ orderId })

/** All kinds of failures, by cause. */
export const failures: Readonly<Record<string, Failure>> = {
  'a missing field': {
    sent: '{}',
    hint: {
      reason: 'missing_fields',
      action: 'correct_call',
      missing: [{ path: '/orderId', description: 'Order number as printed on the invoice' }],
      rejected: '{}',
      example,
    },
    text: 'orderId',
    without: { what: 'examples', comes: { reason: 'missing_fields', missing: [{ path: '/orderId' }], rejected: '{}' } },
  },
  'a field of another type': {
    sent: '{"orderId":5}',
    hint: {
      reason: 'invalid_arguments',
      action: 'correct_call',
      issues: [{ path: '/orderId', constraint: 'invalid_type' }],
      example,
    },
    text: 'orderId',
    without: { what: 'examples', comes: { reason: 'invalid_arguments', issues: [{ path: '/orderId' }] } },
  },
  'an unknown field': {
    sent: '{"orderId":"A-1","colour":"red"}',
    hint: { reason: 'invalid_arguments', issues: [{ constraint: 'unknown_field', field: 'colour' }] },
    text: 'colour',
    without: { what: 'examples', comes: { reason: 'invalid_arguments', issues: [{ constraint: 'unknown_field' }] } },
  },
  'broken JSON': {
    sent: '{"orderId":',
    hint: { reason: 'invalid_arguments', issues: [{ constraint: 'invalid_json' }] },
    text: 'JSON',
    without: { what: 'examples', comes: { reason: 'invalid_arguments', issues: [{ constraint: 'invalid_json' }] } },
  },
  'an unknown tool': {
    tool: 'orders.fnd',
    sent: '{}',
    hint: { reason: 'unknown_tool', action: 'replan' },
    text: 'find',
  },
  'a rejection that was thrown for the model': {
    sent: ofOrder('shipped'),
    hint: { reason: 'domain_rejection', action: 'finish', message: 'The order has shipped.' },
    text: 'The order has shipped.',
    without: {
      what: 'actions',
      comes: { reason: 'domain_rejection', action: 'replan', message: 'The order has shipped.' },
    },
  },
  'a rate limit': {
    sent: ofOrder('limited'),
    hint: { reason: 'rate_limited', action: 'wait', retryAfterMs: 60_000 },
    text: '60 s',
    without: { what: 'statuses', comes: { reason: 'unavailable', action: 'wait' }, text: 'not available' },
  },
  'a service that is away': {
    sent: ofOrder('away'),
    hint: { reason: 'unavailable', action: 'wait' },
    text: 'not available',
  },
  'a time-out of the service': { sent: ofOrder('late'), hint: { reason: 'timeout', action: 'wait' }, text: 'too long' },
  'a service that refuses': {
    sent: ofOrder('forbidden'),
    hint: { reason: 'denied', action: 'replan' },
    text: 'denied',
    without: { what: 'statuses', comes: { reason: 'unavailable' }, text: 'not available' },
  },
  'an error that nobody was to see': {
    sent: ofOrder('secret'),
    hint: { reason: 'internal', message: 'The tool failed because of an internal error.' },
    text: 'internal error',
  },
  'a result that breaks its contract': {
    sent: ofOrder('malformed'),
    hint: { reason: 'malformed_result', action: 'replan' },
    text: 'returned an invalid result',
    without: { what: 'result codec', comes: { data: { id: 'malformed', total: 'much' } }, text: '"much"' },
  },
}
