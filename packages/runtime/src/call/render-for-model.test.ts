import { describe, expect, it } from 'vitest'
import type { Issue } from '../types/codec.js'
import type { RetryHint } from '../types/failure.js'
import type { JsonValue } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import { renderForModel } from './render.js'

const call = { tool: 'orders.getOrder', toolCallId: 'call_1' }
const provenance = { tool: call.tool, durationMs: 3, attempts: 1 }

function failed(hint: RetryHint): ToolOutcome {
  return { call, provenance, status: 'failed', error: { reason: hint.reason, message: hint.message }, hint }
}

function invalid(issues: readonly Issue[], example?: JsonValue): string {
  const [first, ...others] = issues
  if (first === undefined) throw new Error('a hint has issues')
  const hint: RetryHint = {
    reason: 'invalid_arguments',
    action: 'correct_call',
    message: 'The arguments are not valid.',
    tool: call.tool,
    issues: [first, ...others],
    rejected: '{"secret":"hunter2"}',
    ...(example !== undefined && { example }),
  }
  return renderForModel(failed(hint))
}

const long = (length: number): string => 'x'.repeat(length)
const message = 'unused'
const unknown = 'There is no tool with this name.'
const values = Array.from({ length: 40 }, (_, index) => `value-${index}`)

describe('renderForModel', () => {
  it('gives a completed call as its encoded result', () => {
    const outcome: ToolOutcome = {
      call,
      provenance,
      status: 'completed',
      result: { data: 1, provenance },
      json: '{"a":1}',
    }
    expect(renderForModel(outcome)).toBe('{"a":1}')
  })

  it('names every faulty field, what is allowed, and one correct example', () => {
    const text = invalid(
      [
        { constraint: 'missing_field', path: '/orderId', field: 'orderId', expected: 'a string', message },
        { constraint: 'invalid_enum_value', path: '/status', allowed: ['open', 'shipped'], received: 'opne', message },
        { constraint: 'invalid_range', path: '/items/0/quantity', received: 0, minimum: 1, maximum: 100, message },
      ],
      { orderId: 'A-1001', status: 'open', items: [{ quantity: 2 }] },
    )
    expect(text).toBe(
      'Invalid arguments: orderId is missing (a string); status must be one of "open", "shipped"; ' +
        'items[0].quantity must be 1 to 100. Correct example: {"orderId":"A-1001","status":"open","items":[{"quantity":2}]}',
    )
  })

  it.each<[Issue, string]>([
    [{ constraint: 'invalid_json', path: '', message }, 'the arguments are not valid JSON'],
    [
      { constraint: 'missing_field', path: '/a', field: 'a', description: 'Order number', message },
      'a is missing (Order number)',
    ],
    [
      {
        constraint: 'unknown_field',
        path: '/oderId',
        field: 'oderId',
        allowed: ['orderId'],
        nearest: 'orderId',
        message,
      },
      'oderId is unknown, did you mean "orderId"?',
    ],
    [
      { constraint: 'unknown_field', path: '/x', field: 'x', allowed: ['a', 'b'], message },
      'x is unknown, allowed: "a", "b"',
    ],
    [
      { constraint: 'unknown_field', path: '/x', field: 'x', allowed: [], message },
      'x is unknown, no fields are allowed',
    ],
    [
      { constraint: 'server_owned_field', path: '/sessionId', field: 'sessionId', message },
      'sessionId must be left out',
    ],
    [
      { constraint: 'invalid_type', path: '/a', expected: ['integer', 'null'], received: 'string', message },
      'a must be an integer or null',
    ],
    [{ constraint: 'invalid_enum_value', path: '/a', allowed: ['x'], received: 1, message }, 'a must be "x"'],
    [
      { constraint: 'invalid_enum_value', path: '/a', allowed: values, received: 'value-33x', message },
      'a must be one of "value-33", "value-3", "value-13", "value-23", "value-30" and 35 more',
    ],
    [
      { constraint: 'invalid_format', path: '/at', format: 'date-time', received: 'now', message },
      'at must be a valid date-time like 2026-01-31T09:30:00Z',
    ],
    [{ constraint: 'invalid_format', path: '/e', format: 'email', received: 'x', message }, 'e must be a valid email'],
    [
      { constraint: 'invalid_pattern', path: '/a', pattern: '^[A-Z]+$', received: 'x', message },
      'a must match ^[A-Z]+$',
    ],
    [{ constraint: 'invalid_range', path: '/a', received: 0, minimum: 1, message }, 'a must be at least 1'],
    [
      { constraint: 'invalid_range', path: '/a', received: 0, exclusiveMinimum: 0, maximum: 5, multipleOf: 5, message },
      'a must be at most 5 and more than 0 and a multiple of 5',
    ],
    [
      { constraint: 'invalid_length', path: '/a', unit: 'items', received: 0, minimum: 1, maximum: 1, message },
      'a must have exactly 1 items',
    ],
    [
      { constraint: 'not_unique', path: '/a', first: 0, second: 2, message },
      'a must not repeat an item (0 and 2 are equal)',
    ],
    [
      { constraint: 'invalid_contains', path: '/a', found: 0, minimum: 1, message },
      'a must have at least 1 matching items',
    ],
    [
      { constraint: 'missing_dependency', path: '/a', field: 'b', requiredBy: 'c', message },
      'a needs "b" if "c" is present',
    ],
    [
      {
        constraint: 'no_variant_matches',
        path: '/shape',
        variants: ['circle', 'square'],
        discriminator: { field: 'kind', allowed: ['circle', 'square'] },
        message,
      },
      'shape needs "kind" to be one of "circle", "square"',
    ],
    [
      {
        constraint: 'no_variant_matches',
        path: '',
        variants: ['a string', 'an object'],
        nearest: [{ constraint: 'missing_field', path: '/id', field: 'id', message }],
        message,
      },
      'the arguments must be one of a string, an object; nearest: id is missing',
    ],
    [
      { constraint: 'several_variants_match', path: '/a', matching: [0, 1], message },
      'a must match exactly one variant',
    ],
    [{ constraint: 'not_allowed', path: '/a~1b', message }, '["a/b"] is not allowed'],
    [{ constraint: 'too_deep', path: '/a', maximum: 100, message }, 'a must not be nested deeper than 100 levels'],
    [{ constraint: 'not_json', path: '/a', received: 'a bigint', message }, 'a must be a JSON value'],
    [{ constraint: 'check_failed', path: '/to', message: 'to must be after from' }, 'to: to must be after from'],
  ])('says of %j what is allowed', (issue, clause) => {
    expect(invalid([issue])).toMatch(new RegExp(`^Invalid arguments: ${escaped(clause)}\\.?$`))
  })

  it('stays below 300 characters for three faults, however long the lists, names and values', () => {
    const enumOf = (field: string, length: number): Issue => ({
      constraint: 'invalid_enum_value',
      path: `/${field}`,
      allowed: values.map((value) => `${value}${long(length)}`),
      received: 'value-7',
      message,
    })
    for (const length of [0, 5, 20, 200]) {
      for (const field of ['a', 'aFieldWithALongName', long(500), '\u{1F600}'.repeat(60)]) {
        const text = invalid([enumOf(field, length), enumOf(`${field}1`, length), enumOf(`${field}2`, length)], {
          [field.slice(0, 20)]: 'value-7',
        })
        expect([...text].length).toBeLessThan(300)
        expect(text.match(/must be one of/g)).toHaveLength(3)
      }
    }
  })

  it('keeps the example and shows fewer values where both do not fit', () => {
    const issues = ['aa', 'bb', 'cc'].map(
      (field): Issue => ({
        constraint: 'invalid_enum_value',
        path: `/${field}`,
        allowed: values,
        received: 'v',
        message,
      }),
    )
    const text = invalid(issues, { aa: 'value-1', bb: 'value-2', cc: 'value-3' })
    expect(text).toContain('Correct example: {"aa":"value-1","bb":"value-2","cc":"value-3"}')
    expect(text).toContain('and 37 more')
  })

  it('says once which fields an object has', () => {
    const unknown = (path: string, field: string): Issue => ({
      constraint: 'unknown_field',
      path: `${path}/${field}`,
      field,
      allowed: ['name', 'city'],
      message,
    })
    expect(invalid([unknown('', 'x'), unknown('', 'y'), unknown('/to', 'x')], { name: 'Ada' })).toBe(
      'Invalid arguments: x is unknown, allowed: "name", "city"; y is unknown; to.x is unknown, allowed: "name", "city". ' +
        'Correct example: {"name":"Ada"}',
    )
  })

  it('lets the example say which fields there are where there is no room for both', () => {
    const allowed = ['pickup_location', 'start_date', 'pickup_time', 'end_date', 'car_type', 'add_insurance']
    const text = invalid(
      [
        { constraint: 'missing_field', path: '/car_type', field: 'car_type', allowed: ['Hatchback', 'SUV'], message },
        {
          constraint: 'missing_field',
          path: '/add_insurance',
          field: 'add_insurance',
          expected: 'true or false',
          message,
        },
        { constraint: 'unknown_field', path: '/extra_information', field: 'extra_information', allowed, message },
      ],
      Object.fromEntries(allowed.map((field) => [field, 'text'])),
    )
    expect(text.length).toBeLessThan(300)
    expect(text).toContain('extra_information is unknown. Correct example: {"pickup_location":')
  })

  it('shows fewer values rather than halves', () => {
    const codes = ['electronic_mail_message', 'short_text_message', 'postal_letter', 'none']
    const names = [
      'customer_notification_preferences',
      'billing_address_postal_code_or_zip',
      'preferred_delivery_window',
    ]
    const enums = names.map(
      (field): Issue => ({
        constraint: 'invalid_enum_value',
        path: `/${field}`,
        allowed: codes,
        received: 'z',
        message,
      }),
    )
    const missing = names.map(
      (field): Issue => ({
        constraint: 'missing_field',
        path: `/${field}`,
        field,
        allowed: codes,
        expected: 'x',
        message,
      }),
    )
    for (const issues of [enums, missing]) {
      const text = invalid(issues)
      expect(text.length).toBeLessThan(300)
      expect(text).not.toContain('…')
      for (const name of names) expect(text).toContain(name)
      const shown: readonly string[] = text.match(/"[^"]*"/g) ?? []
      expect(shown.length).toBeGreaterThanOrEqual(3)
      expect(shown.filter((value) => !codes.includes(JSON.parse(value)))).toEqual([])
    }
  })

  it('counts the values and variants that an issue does not list, and each once', () => {
    expect(
      invalid([{ constraint: 'invalid_enum_value', path: '/a', allowed: ['x', 'y'], more: 7, received: 1, message }]),
    ).toBe('Invalid arguments: a must be one of "x", "y" and 7 more.')
    const variants = ['kind: "card"', 'kind: "card"', 'a string']
    expect(invalid([{ constraint: 'no_variant_matches', path: '/a', variants, message }])).toBe(
      'Invalid arguments: a must be one of kind: "card", a string.',
    )
  })

  it('names every faulty field, however much there is to say of each', () => {
    const issues = Array.from({ length: 8 }, (_, at): Issue => {
      const nearest = ['a', 'b'].map(
        (end): Issue => ({
          constraint: 'invalid_pattern',
          path: `/field${at}/${end}`,
          pattern: long(99),
          received: '',
          message,
        }),
      )
      return { constraint: 'no_variant_matches', path: `/field${at}`, variants: [long(99), long(98)], nearest, message }
    })
    for (const count of [1, 3, 8]) {
      const text = invalid(issues.slice(0, count), { a: 1 })
      expect([...text].length).toBeLessThan(300 + 90 * Math.max(0, count - 3))
      for (let at = 0; at < count; at += 1) expect(text).toContain(`field${at} must be one of`)
    }
  })

  it('shows patterns whole where there is no room for the example anyway', () => {
    const pattern = '^(?:[A-Z]{3}-[0-9]{4}-[a-z]{2}|[A-Z]{5}-[0-9]{6})$'
    const issues = ['a', 'b', 'c'].map(
      (field): Issue => ({ constraint: 'invalid_pattern', path: `/${field}`, pattern, received: '', message }),
    )
    expect(invalid(issues, { a: long(300) }).split(pattern)).toHaveLength(4)
  })

  it('leaves out an example that does not fit whole', () => {
    const text = invalid([{ constraint: 'not_allowed', path: '/a', message }], { a: long(400) })
    expect(text).toBe('Invalid arguments: a is not allowed.')
  })

  it('counts faults beyond the eighth', () => {
    const issues = values.map((field): Issue => ({ constraint: 'not_allowed', path: `/${field}`, message }))
    expect(invalid(issues)).toContain('value-7 is not allowed; 32 more issues.')
  })

  it('never shows what was sent', () => {
    const received = 'hunter2'
    const text = invalid([
      { constraint: 'invalid_format', path: '/a', format: 'email', received, message: received },
      { constraint: 'invalid_pattern', path: '/b', pattern: 'x', received, message: received },
      { constraint: 'invalid_enum_value', path: '/c', allowed: ['x'], received, message: received },
    ])
    expect(text).not.toContain(received)
  })

  it.each<[RetryHint, string]>([
    [
      { reason: 'unknown_tool', action: 'replan', tool: 'orders_get', message: unknown, near: ['orders_get_order'] },
      'There is no tool "orders_get". Did you mean "orders_get_order"?',
    ],
    [
      { reason: 'unknown_tool', action: 'replan', tool: long(99), message: unknown, near: [] },
      `There is no tool "${long(63)}…". Use one of the available tools.`,
    ],
    [
      { reason: 'unknown_tool', action: 'replan', tool: 't', message: 'It is gone', near: [] },
      'It is gone. Use another tool.',
    ],
    [
      { reason: 'unknown_tool', action: 'replan', tool: 't', message: 'It is gone.', near: ['a', 'b'] },
      'It is gone. Try "a" or "b".',
    ],
    [
      {
        reason: 'rate_limited',
        action: 'wait',
        tool: 't',
        message: 'The service is rate limited.',
        retryAfterMs: 1500,
      },
      'The service is rate limited. Try again in 2 s.',
    ],
    [
      { reason: 'unavailable', action: 'wait', tool: 't', message: 'Not available.' },
      'Not available. Try again later.',
    ],
    [{ reason: 'timeout', action: 'replan', tool: 't', message: 'Too slow.' }, 'Too slow. Try another way.'],
    [{ reason: 'denied', action: 'finish', tool: 't', message: 'No.' }, 'No. Do not call it again.'],
    [{ reason: 'cancelled', action: 'finish', tool: 't', message: 'Cancelled.' }, 'Cancelled.'],
    [
      { reason: 'domain_rejection', action: 'correct_call', tool: 't', message: 'Sold out.', example: { sku: 'B' } },
      'Sold out. Correct the arguments and call again. Correct example: {"sku":"B"}',
    ],
    [
      {
        reason: 'domain_rejection',
        action: 'correct_call',
        tool: 't',
        message: 'Rejected.',
        issues: [{ constraint: 'check_failed', path: '/sku', message: 'is sold out' }],
      },
      'Rejected. sku: is sold out. Correct the arguments and call again.',
    ],
    [{ reason: 'domain_rejection', action: 'replan', tool: 't', message: long(900) }, `${long(599)}… Try another way.`],
  ])('says of %j what to do next', (hint, text) => {
    expect(renderForModel(failed(hint))).toBe(text)
  })
})

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
