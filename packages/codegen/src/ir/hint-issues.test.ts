import { describe, expect, it } from 'vitest'
import type { Schema } from '../schema/json-schema.js'
import { hintIssues } from './text-rules.js'

const order: Schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    customer: { $ref: '#/$defs/Customer' },
    items: { type: 'array', items: { type: 'object', properties: { sku: {} } } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    owner: { anyOf: [{ $ref: '#/$defs/Customer' }, { type: 'null' }] },
  },
}
const defs: Record<string, Schema> = { Customer: { type: 'object', properties: { name: { type: 'string' } } } }

function kinds(template: string): readonly unknown[] {
  return hintIssues(template, order, defs)
}

describe('a template', () => {
  it.each([
    'No fields',
    '{{id}}',
    '{{ id }}!',
    '{{customer.name}}',
    '{{items.0.sku}}',
    '{{labels.any}}',
    '{{owner.name}}',
  ])('may be %s', (template) => {
    expect(kinds(template)).toEqual([])
  })

  it('names fields that exist', () => {
    expect(kinds('{{idd}} {{customer.nam}}')).toEqual([
      {
        kind: 'unknown',
        path: 'idd',
        field: 'idd',
        allowed: ['id', 'customer', 'items', 'labels', 'owner'],
        start: 0,
        end: 7,
      },
      { kind: 'unknown', path: 'customer.nam', field: 'nam', allowed: ['name'], start: 8, end: 24 },
    ])
    expect(kinds('{{constructor}} {{id.length}} {{__proto__}}')).toHaveLength(3)
  })

  it.each([
    ['{{id', 0, 2],
    ['id}}', 2, 4],
    ['a {{}}', 2, 6],
    ['{{ {{id}} }}', 0, 2],
  ])('with braces that do not pair is malformed: %s', (template, start, end) => {
    expect(kinds(template)).toContainEqual({ kind: 'malformed', start, end })
  })
})
