import { describe, expect, it } from 'vitest'
import { defineTool } from './tool.js'
import { defineToolset } from './toolset.js'
import { fromOpenApi } from './uses.js'

const getPet = defineTool({ description: 'Gets a pet.', payload: { type: 'object', properties: {} }, result: true })
const operation = { method: 'GET', path: '/pet' } as const
const pets = defineToolset('pets', {
  description: 'Pets.',
  definitions: { Pet: { type: 'object' } },
  openapi: { operations: { getPet: operation } },
  tools: { getPet },
})

describe('fromOpenApi', () => {
  it('gives a frozen use, with the tools and names that it selects', () => {
    const use = fromOpenApi(pets, { as: 'zoo', only: ['getPet'], rename: { getPet: 'look' } })
    expect(use).toMatchObject({ provider: 'openapi', toolset: pets, as: 'zoo', only: ['getPet'] })
    expect(Object.isFrozen(use) && Object.isFrozen(pets.openapi)).toBe(true)
  })

  it('refuses a toolset that no API serves', () => {
    const plain = defineToolset('plain', { description: 'Plain.', tools: { getPet } })
    expect(() => fromOpenApi(plain)).toThrow('fromOpenApi("plain"): the toolset has no `openapi`')
  })
})

describe('the operations of a toolset', () => {
  const define = (openapi: any) => () => defineToolset('pets', { description: 'Pets.', openapi, tools: { getPet } })
  it.each<[unknown, string]>([
    [{ operations: {} }, 'has no operation for the tool "getPet"'],
    [{ operations: { getPet: operation, getDog: operation } }, '"getDog" is not a tool'],
    [{ operations: { getPet: { method: 'GET' } } }, '"path" is missing'],
    [{ operations: { getPet: { ...operation, parameters: [{ field: 'a', in: 'body' }] } } }, 'got "body"'],
    [{ operations: { getPet: { ...operation, boddy: {} } } }, 'unknown property "boddy"'],
    [{ operations: { getPet: { ...operation, errors: { 200: true } } } }, '"200" is not an error status'],
    [{ operations: { getPet: { ...operation, errors: { 404: 'gone' } } } }, 'expected a schema, got a string'],
    [{ server: 1, operations: { getPet: operation } }, 'expected a string'],
  ])('%j is refused', (openapi, why) => {
    expect(define(openapi)).toThrow(why)
  })

  it.each<[string, object]>([
    [
      'header',
      { security: { key: { type: 'apiKey', in: 'header', name: 'X-Key\n' } }, operations: { getPet: operation } },
    ],
    ['header', { operations: { getPet: { ...operation, parameters: [{ field: 'a', in: 'header', name: 'X Key' }] } } }],
    ['cookie', { operations: { getPet: { ...operation, parameters: [{ field: 'a;b', in: 'cookie' }] } } }],
  ])('defect 13e: a name that no %s can have is refused', (place, openapi) => {
    expect(define(openapi)).toThrow(`is not a valid name of a ${place}`)
  })
})
