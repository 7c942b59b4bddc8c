import { expect, test } from 'vitest'
import type { Conversion } from '../services/plan.js'
import { ConversionWriter, ModuleFunctions } from './conversion-text.js'

const convert = {
  dateTimeToDate: (text: string) => new Date(text),
  isArray: Array.isArray,
  setToArray: (items: ReadonlySet<unknown>) => [...items],
  mapToRecord: (map: ReadonlyMap<string, unknown>) => Object.fromEntries(map),
  mapRecord: (record: object, convert: (value: unknown) => unknown) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)])),
}

/** Runs the text of a conversion. */
function run(conversion: Conversion, value: unknown): unknown {
  const file = { value: (name: string) => name, type: (name: string) => name }
  const module = new ModuleFunctions(file, (definition) => definition, [])
  const writer = new ConversionWriter(module, {
    start: 'to',
    stem: 'Again',
    functionTypes: () => ({ from: 'unknown', to: 'unknown' }),
    shares: false,
  })
  const text = writer.text(conversion, 'value').replace(/ as never/g, '')
  const functions = module
    .texts()
    .join('\n')
    .replace(/: unknown/g, '')
  return new Function('convert', 'value', `${functions}\nreturn (${text})`)(convert, value)
}

const pass: Conversion = { kind: 'pass' }
const date: Conversion = { kind: 'scalar', name: 'dateTimeToDate' }
const noon = '2026-01-31T12:00:00.000Z'

function object(
  ...fields: readonly (readonly [
    string,
    string,
    'required' | 'omit' | 'omitNull' | 'undefined' | 'undefinedNull',
    Conversion?,
  ])[]
): Conversion {
  return {
    kind: 'object',
    fields: fields.map(([from, to, presence, conversion = pass]) => ({ from, to, presence, conversion })),
    rest: false,
  }
}

test('fields are renamed and what is absent is left out', () => {
  const conversion = object(['a', 'b', 'required'], ['c', 'd', 'omit'], ['e', 'f', 'omitNull', date])
  expect(run(conversion, { a: 1, e: null, x: 2 })).toStrictEqual({ b: 1 })
  expect(run(conversion, { a: 1, c: 0, e: noon })).toStrictEqual({ b: 1, d: 0, f: new Date(noon) })
})

test('a key that must be there is there, if need be with undefined', () => {
  const conversion = object(['a', 'a', 'undefined', date], ['b', 'b', 'undefinedNull'])
  expect(run(conversion, { b: null })).toStrictEqual({ a: undefined, b: undefined })
})

test('names of every object are read only where they are own', () => {
  const conversion = object(
    ['constructor', 'constructor', 'omit'],
    ['toString', 'toString', 'undefined'],
    ['__proto__', '__proto__', 'omit'],
  )
  expect(Object.entries(run(conversion, {}) ?? {})).toEqual([['toString', undefined]])
  const own = JSON.parse('{ "constructor": 1, "toString": 2, "__proto__": 3 }')
  const made = run(conversion, own) ?? {}
  expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
  expect(Object.entries(made)).toEqual([
    ['constructor', 1],
    ['toString', 2],
    ['__proto__', 3],
  ])
})

test('null stays null around a conversion', () => {
  const conversion: Conversion = { kind: 'nullable', inner: date, of: 'null' }
  expect(run(conversion, null)).toBe(null)
  expect(run(conversion, noon)).toEqual(new Date(noon))
  expect(run({ kind: 'orNull', inner: pass }, undefined)).toBe(null)
})

test('lists in lists, sets, maps and records', () => {
  const dates: Conversion = { kind: 'array', items: date, from: 'array', to: 'array' }
  expect(run({ kind: 'array', items: dates, from: 'array', to: 'array' }, [[noon], []])).toEqual([[new Date(noon)], []])
  expect(run({ kind: 'array', items: pass, from: 'set', to: 'array' }, new Set([1]))).toEqual([1])
  const record: Conversion = { kind: 'record', values: date, from: 'map', to: 'record' }
  expect(run(record, new Map([['a', noon]]))).toEqual({ a: new Date(noon) })
})

test('a switch hands on what nobody declared', () => {
  const conversion: Conversion = {
    kind: 'switch',
    field: 'kind',
    narrows: 'object',
    cases: [
      { values: ['a', 'b'], conversion: object(['x', 'y', 'required']) },
      { values: ['c'], conversion: object(['kind', 'kind', 'required']) },
    ],
  }
  expect(run(conversion, { kind: 'b', x: 1 })).toEqual({ y: 1 })
  expect(run(conversion, { kind: 'c', x: 1 })).toEqual({ kind: 'c' })
  expect(run(conversion, { kind: 'new', x: 1 })).toEqual({ kind: 'new', x: 1 })
})

test('alternatives are distinguished by their kind, and the last one takes all other values', () => {
  const conversion: Conversion = {
    kind: 'byKind',
    cases: [
      { kinds: ['string', 'bigint'], conversion: pass },
      { kinds: ['array'], conversion: { kind: 'array', items: date, from: 'array', to: 'array' } },
      { kinds: ['object'], conversion: object(['a', 'b', 'required']) },
    ],
  }
  expect(run(conversion, 'a')).toBe('a')
  expect(run(conversion, 1n)).toBe(1n)
  expect(run(conversion, [noon])).toEqual([new Date(noon)])
  expect(run(conversion, { a: 1 })).toEqual({ b: 1 })
  expect(run({ kind: 'nullable', inner: conversion, of: 'null' }, null)).toBe(null)
})

test('recursion becomes a function', () => {
  const children: Conversion = { kind: 'array', items: { kind: 'ref', name: 'n0' }, from: 'array', to: 'array' }
  const body = object(['name', 'title', 'required'], ['children', 'items', 'omit', children])
  const conversion: Conversion = { kind: 'named', name: 'n0', body, types: { from: [], to: [] } }
  expect(run(conversion, { name: 'a', children: [{ name: 'b' }] })).toEqual({ title: 'a', items: [{ title: 'b' }] })
})
