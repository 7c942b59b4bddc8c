import { describe, expect, it } from 'vitest'
import { changeDiagnostics } from '../../packages/codegen/src/contracts/compare.js'
import type { Schema } from '../../packages/codegen/src/schema/json-schema.js'
import { changesOf, type Sketch } from './sketch.js'

const text: Schema = { type: 'string' }
const address = { $ref: '#/$defs/Address' }

/** Tools that share an address, with a rule of its zip code. */
function shop(tools: readonly string[], zip: Schema, more: Sketch = {}): Sketch {
  return {
    tools,
    defs: { Address: { type: 'object', properties: { zip } } },
    payload: { type: 'object', properties: { to: address } },
    ...more,
  }
}

function told(was: Sketch, is: Sketch): readonly string[] {
  return changeDiagnostics(changesOf(was, is)).map(({ message }) => message)
}

const six = { ...text, maxLength: 6 }
const many = Array.from({ length: 1200 }, (_, index) => `tool${String(index).padStart(4, '0')}`)

it('tells what changed in a definition once for all tools that share it, and keeps the change of each', () => {
  const [was, is] = [shop(many, text), shop(many, six)]
  expect(told(was, is)).toEqual([
    "The payload of 'orders.tool0000', 'orders.tool0001', 'orders.tool0002' and 1,197 other tools has a changed length and " +
      `rejects values that were valid before, at /properties/zip of the definition 'Address': it changed from "any length" to "0 to 6". ` +
      '(payload-length-narrowed)',
  ])
  const changes = changesOf(was, is)
  expect(changes.map(({ tool }) => tool)).toEqual(many.map((name) => `orders.${name}`))
  expect(changes.at(-1)).toMatchObject({
    pointer: '/properties/to/properties/zip',
    definition: { name: 'Address', pointer: '/properties/zip' },
    witness: { to: { zip: expect.any(String) } },
  })
})

it('tells what changed of the whole definition', () => {
  const home = (Address: Schema): Sketch => ({ ...shop(['a', 'b'], text), defs: { Address } })
  expect(told(home(text), home(six))[0]).toContain(", at the definition 'Address': it changed from")
})

it('names all of a few tools', () => {
  expect(told(shop(['a', 'b'], text), shop(['a', 'b'], six))[0]).toMatch(
    /^The payload of 'orders.a' and 'orders.b' has /,
  )
})

it('tells what is said of a definition once, too', () => {
  const zip = { ...text, title: 'Zip' }
  expect(told(shop(['a', 'b'], text), shop(['a', 'b'], zip))).toEqual([
    expect.stringMatching(
      /^The payload of 'orders.a' and 'orders.b' has a changed title, description, example or other annotation, at .* of the definition 'Address'/,
    ),
  ])
})

it('follows arrays, unions and parts to the innermost definition', () => {
  const payload: Schema = {
    type: 'object',
    properties: {
      all: { type: 'array', items: { anyOf: [{ allOf: [{ $ref: '#/$defs/Person' }] }, { type: 'null' }] } },
    },
  }
  const people = (zip: Schema): Sketch => ({
    tools: ['a', 'b'],
    payload,
    defs: {
      Person: { type: 'object', properties: { home: address } },
      Address: { type: 'object', properties: { zip } },
    },
  })
  expect(changesOf(people(text), people(six))[0]).toMatchObject({
    pointer: '/properties/all/items/anyOf/0/properties/home/properties/zip',
    definition: { name: 'Address', pointer: '/properties/zip' },
  })
})

it('tells of each side and of each tool what is its own', () => {
  const own = (zip: Schema): Sketch => ({
    tools: ['a', 'b'],
    payload: { type: 'object', properties: { zip } },
  })
  // In place, and not by a definition.
  expect(told(own(text), own(six))).toHaveLength(2)
  const result = { result: { type: 'object', properties: { from: address } } }
  const sides = told(shop(['a', 'b'], text, result), shop(['a', 'b'], six, result))
  expect(sides.map((message) => message.slice(0, 14))).toEqual(['The payload of', 'The result of '])
  // One tool has nothing to share.
  expect(told(shop(['a'], text), shop(['a'], six))[0]).toContain(', at /properties/to/properties/zip: ')
})

it('takes a reference to another definition for a change of the tool', () => {
  const defs = {
    Address: { type: 'object', properties: { zip: text } },
    Place: { type: 'object', properties: { zip: six } },
  }
  const at = (name: string): Sketch => ({
    tools: ['a', 'b'],
    defs,
    payload: { type: 'object', properties: { to: { $ref: `#/$defs/${name}` } } },
  })
  const changes = changesOf(at('Address'), at('Place'))
  expect(changes.map(({ definition }) => definition)).toEqual([undefined, undefined])
  expect(told(at('Address'), at('Place'))).toHaveLength(2)
})

describe('definitions that lie within very many others', () => {
  const deep = (last: Schema): Sketch => {
    const links = Array.from({ length: 2000 }, (_, index): [string, Schema] => [
      `Link${index}`,
      { type: 'object', properties: { next: { $ref: `#/$defs/Link${index + 1}` } } },
    ])
    return {
      payload: { type: 'object', properties: { first: { $ref: '#/$defs/Link0' } } },
      defs: Object.fromEntries([...links, ['Link2000', last]]),
    }
  }

  it('are known to be the same', () => {
    expect(changesOf(deep(text), deep(text))).toEqual([])
  })

  it('are too much to compare where they changed', () => {
    expect(changesOf(deep(text), deep(six)).map(({ certain, after }) => [certain, after])).toEqual([
      [false, 'too much to compare'],
    ])
  })
})
