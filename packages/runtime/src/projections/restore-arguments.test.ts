import { describe, expect, it } from 'vitest'
import { registrationOf, toolOf } from '../agents/orders.fixture.js'
import { Runtime } from '../agents/runtime.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { JsonSchema, JsonText } from '../types/json.js'

import { removeStrictNulls, restoreArguments } from './restore-arguments.js'
import { specOf } from './spec.fixture.js'

const restored = (schema: JsonSchema, sent: unknown): unknown =>
  JSON.parse(restoreArguments(specOf(schema), JSON.stringify(sent)))

const note: JsonSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, note: { type: 'string' } },
  required: ['id'],
}

describe('arguments written under strict form', () => {
  it.each<[string, JsonSchema, unknown, unknown]>([
    ['an optional field', note, { id: 'a', note: null }, { id: 'a' }],
    ['a required field', note, { id: null, note: 'x' }, { id: null, note: 'x' }],
    [
      'an optional field that may be null',
      { type: 'object', properties: { a: { type: ['string', 'null'] } } },
      { a: null },
      { a: null },
    ],
    [
      'an optional field that may be null by way of a reference',
      { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { enum: ['x', null] } } },
      { a: null },
      { a: null },
    ],
    [
      'objects, lists and references',
      {
        type: 'object',
        properties: { list: { type: 'array', items: { $ref: '#/$defs/Note' } }, one: note },
        $defs: { Note: note },
      },
      {
        list: [
          { id: 'a', note: null },
          { id: 'b', note: 'n' },
        ],
        one: { id: 'c', note: null },
      },
      { list: [{ id: 'a' }, { id: 'b', note: 'n' }], one: { id: 'c' } },
    ],
    [
      'recursion',
      {
        type: 'object',
        properties: { node: { $ref: '#/$defs/Node' } },
        $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } },
      },
      { node: { next: { next: { next: null } } } },
      { node: { next: { next: {} } } },
    ],
    [
      'the variant that was meant',
      {
        type: 'object',
        properties: {
          a: {
            anyOf: [
              { type: 'object', properties: { kind: { const: 'x' }, v: { type: 'string' } }, required: ['kind'] },
              {
                type: 'object',
                properties: { kind: { const: 'y' }, v: { type: ['string', 'null'] } },
                required: ['kind'],
              },
            ],
          },
        },
        required: ['a'],
      },
      { a: { kind: 'y', v: null } },
      { a: { kind: 'y', v: null } },
    ],
    [
      'a place in a list',
      {
        type: 'object',
        properties: { a: { type: 'array', prefixItems: [note, { type: 'string' }], items: false } },
      },
      { a: [{ id: 'a', note: null }, 'x'] },
      { a: [{ id: 'a' }, 'x'] },
    ],
    [
      'fields that are called like members of every object',
      {
        type: 'object',
        properties: Object.fromEntries([
          ['__proto__', { type: 'string' }],
          ['constructor', { type: 'string' }],
        ]),
      },
      JSON.parse('{"__proto__":null,"constructor":null}'),
      {},
    ],
  ])('lose null where it stands for nothing: %s', (_, schema, sent, expected) => {
    expect(restored(schema, sent)).toEqual(expected)
  })

  it('keep every null of a tool that is not sent in strict form', () => {
    const open: JsonSchema = { ...Object(note), additionalProperties: true }
    expect(restored(open, { id: 'a', note: null, more: null })).toEqual({ id: 'a', note: null, more: null })
  })

  it.each<JsonText>([
    '',
    '{"id":',
    'null',
    '[null]',
    '{"id": "a"}',
    '{"id":"a","other":null}',
    '{"id":12345678901234567890}',
  ])('stay as they are where there is nothing to remove: %s', (text) => {
    expect(restoreArguments(specOf(note), text)).toBe(text)
  })

  it('stay as they are where they are nested deeper than any codec takes', () => {
    const text = `{"id":"a","note":null,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect(restoreArguments(specOf(note), text)).toBe(text)
  })

  it('are restored once per call by a payload adapter', async () => {
    const tool = toolOf<{ id: string }, unknown>('orders.note', { arguments: note })
    const seen: unknown[] = []
    const options = { payloadAdapter: removeStrictNulls() }
    const execute = async (request: ExecutorRequest): Promise<unknown> => {
      seen.push(await request.payload())
      return { id: 'A-1', total: 1 }
    }
    const registration = registrationOf(tool, execute, options)
    const toolset = new Runtime().registerToolset(registration)
    for (const id of ['a', 'b']) {
      const outcome = await toolset.execute({ tool: 'orders.note', arguments: `{"id":"${id}","note":null}` })
      expect(outcome.status).toBe('completed')
    }
    expect(seen).toEqual([{ id: 'a' }, { id: 'b' }])
  })
})
