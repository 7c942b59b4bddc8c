import { describe, expect, it } from 'vitest'
import { localReferences } from './libraries/plain.js'
import { dialectOf } from './references.js'

const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' }

function local(document: { readonly [key: string]: unknown }) {
  const schema = JSON.parse(JSON.stringify(document))
  return localReferences(schema, dialectOf(schema))
}

/** Returns the converted reference at `properties.ref`. */
function refIn(document: { readonly [key: string]: unknown }): unknown {
  return Object(Object(Object(local(document).value).properties).ref).$ref
}

describe('references become pointers into the document', () => {
  it('from addresses of schemas inside, whatever they are relative to', () => {
    const document = {
      $id: 'https://example.com/schemas/root',
      properties: { ref: { $ref: 'item#/properties/id' } },
      $defs: { Item: { $id: 'item', properties: { id: { $ref: '#/$defs/Id' } }, $defs: { Id: { type: 'string' } } } },
    }
    expect(refIn(document)).toBe('#/$defs/Item/properties/id')
    expect(local(document).value).toEqual({
      properties: { ref: { $ref: '#/$defs/Item/properties/id' } },
      $defs: {
        Item: { properties: { id: { $ref: '#/$defs/Item/$defs/Id' } }, $defs: { Id: { type: 'string' } } },
      },
    })
  })

  it('from anchors, each within its own address', () => {
    const document = {
      properties: { ref: { $ref: 'other#name' } },
      $defs: { A: { $anchor: 'name' }, B: { $id: 'other', $defs: { C: { $anchor: 'name' } } } },
    }
    expect(refIn(document)).toBe('#/$defs/B/$defs/C')
    expect(refIn({ ...draft7, properties: { ref: { $ref: '#a' } }, definitions: { A: { $id: '#a' } } })).toBe(
      '#/definitions/A',
    )
  })

  it('from draft 04, where an address is an `id`', () => {
    const $schema = 'http://json-schema.org/draft-04/schema#'
    const definitions = { A: { id: 'http://x/a', type: 'string' } }
    expect(refIn({ $schema, properties: { ref: { $ref: 'http://x/a' } }, definitions })).toBe('#/definitions/A')
  })

  it('from names with characters that a reference escapes', () => {
    const $defs = { 'a b%/~': { type: 'string' } }
    expect(refIn({ properties: { ref: { $ref: '#/$defs/a%20b%25~1~0' } }, $defs })).toBe('#/$defs/a b%25~1~0')
  })

  it('also where the target stands under no keyword of JSON Schema; it moves to the definitions', () => {
    const components = {
      schemas: { Pet: { properties: { owner: { $ref: '#/components/schemas/Owner' } } }, Owner: {} },
    }
    expect(local({ properties: { ref: { $ref: '#/components/schemas/Pet' } }, components }).value).toEqual({
      properties: { ref: { $ref: '#/$defs/Pet' } },
      $defs: { Pet: { properties: { owner: { $ref: '#/$defs/Owner' } } }, Owner: {} },
    })
  })

  it('and names that are data stay as they are', () => {
    const document = {
      properties: { $ref: { type: 'string' }, $id: { type: 'string' } },
      enum: [{ $id: 'https://example.com/x', $ref: '#nowhere' }],
    }
    expect(local(document)).toEqual({ value: document, diagnostics: [] })
  })
})

describe('dynamic references', () => {
  it('lead to the one place to which they can lead', () => {
    const single = { properties: { ref: { $dynamicRef: '#n' } }, $defs: { A: { $dynamicAnchor: 'n' } } }
    expect(refIn(single)).toBe('#/$defs/A')
    const outermost = { ...single, $dynamicAnchor: 'n', $defs: { A: { $id: 'a', $dynamicAnchor: 'n' } } }
    expect(refIn(outermost)).toBe('#')
    expect(refIn({ properties: { ref: { $dynamicRef: '#/$defs/A' } }, $defs: { A: {} } })).toBe('#/$defs/A')
    expect(refIn({ $recursiveAnchor: true, properties: { ref: { $recursiveRef: '#' } } })).toBe('#')
  })

  it('are refused where they can lead to several', () => {
    const document = {
      $dynamicRef: 'a#n',
      $defs: { A: { $id: 'a', $dynamicAnchor: 'n' }, B: { $id: 'b', $dynamicAnchor: 'n' } },
    }
    expect(local(document).diagnostics).toMatchObject([{ code: 'TG3012', trail: ['$dynamicRef'] }])
  })

  it('count beside a plain reference too', () => {
    expect(local({ $ref: '#/$defs/A', $dynamicRef: '#/$defs/B', $defs: { A: {}, B: {} } }).value).toMatchObject({
      $ref: '#/$defs/A',
      allOf: [{ $ref: '#/$defs/B' }],
    })
  })
})

describe('what stands beside a reference', () => {
  it('has no effect in draft-07, and that is said', () => {
    const { value, diagnostics } = local({
      ...draft7,
      properties: { a: { $ref: '#/definitions/A', minLength: 3, description: 'Which', $id: 'https://elsewhere/' } },
      definitions: { A: { type: 'string' } },
    })
    expect(Object(value).properties).toEqual({ a: { $ref: '#/definitions/A', description: 'Which' } })
    expect(diagnostics).toMatchObject([
      { code: 'TG3015', severity: 'warning', message: expect.stringContaining('`minLength`') },
    ])
  })

  it('has its effect in 2020-12 and where no draft is named', () => {
    const document = { $ref: '#/$defs/A', minLength: 3, $defs: { A: { type: 'string' } } }
    expect(local(document)).toEqual({ value: document, diagnostics: [] })
  })
})

it.each([
  [{ $ref: 'https://example.com/other' }, 'TG3012', 'another document'],
  [{ $ref: '#/$defs/Nothing' }, 'TG3011', 'has no target'],
  [{ $ref: '#nothing' }, 'TG3011', 'has no target'],
  [{ $ref: '#/%E0%A4%A' }, 'TG3011', 'has no target'],
  [{ $id: 'http://[', type: 'string' }, 'TG3012', 'with the invalid URI'],
  [{ $dynamicRef: '#nothing' }, 'TG3012', '$dynamicRef'],
])('%j is reported as %s', (document, code, part) => {
  expect(local(document)).toMatchObject({ diagnostics: [{ code, message: expect.stringContaining(part) }] })
  expect(local(document).value).toBeUndefined()
})

it('a reference into an OpenAPI document says what to give beside the schema', () => {
  const { diagnostics } = local({ $ref: '#/components/schemas/Pet' })
  expect(diagnostics).toMatchObject([
    { code: 'TG3011', next: expect.stringContaining('components: document.components') },
  ])
})
