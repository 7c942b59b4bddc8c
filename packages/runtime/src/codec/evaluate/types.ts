import type { JsonKind } from '../../contract/issue.js'
import type { IssueFacts } from '../issues/facts.js'
import { expectedKinds, wrongKindMessage } from '../issues/message.js'
import { kindOf } from '../json/kind.js'
import { keyword } from './keywords.js'
import type { Run } from './run.js'
import { SchemaError } from './schema-error.js'
import type { Site } from './site.js'

const kinds: readonly JsonKind[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

/** Prepares `type`. A number is an `integer` where it has no fraction, however it is written: `1.0` is one. */
export function prepareType(site: Site): ((value: unknown, run: Run) => boolean) | undefined {
  const expected = kindsOf(site)
  if (expected === undefined) return undefined
  const test = kindTest(expected)
  const format = site.facts.format(site)
  const words = expectedKinds(expected, format)
  const constraint = 'invalid_type'
  return (value, run) => {
    if (test(value)) return true
    if (run.quiet) return false
    const received = kindOf(value)
    const facts: IssueFacts =
      format === undefined ? { constraint, expected, received } : { constraint, expected, format, received }
    return run.report(facts, undefined, wrongKindMessage(words, received))
  }
}

/** The kinds that `type` of a schema allows; `undefined`: all. */
export function kindsOf({ schema, pointer }: Pick<Site, 'schema' | 'pointer'>): readonly JsonKind[] | undefined {
  const given = keyword(schema, 'type')
  if (given === undefined) return undefined
  const names: readonly unknown[] = Array.isArray(given) ? given : [given]
  const expected = names.map((name) => {
    const kind = kinds.find((known) => known === name)
    if (kind === undefined) throw new SchemaError(`${pointer}/type`, `${JSON.stringify(name)} is not a type of JSON.`)
    return kind
  })
  return Object.freeze(expected)
}

function kindTest(expected: readonly JsonKind[]): (value: unknown) => boolean {
  const tests = expected.map(testOf)
  const [only] = tests
  return tests.length === 1 && only !== undefined ? only : (value) => tests.some((test) => test(value))
}

function testOf(kind: JsonKind): (value: unknown) => boolean {
  switch (kind) {
    case 'string':
      return (value) => typeof value === 'string'
    case 'number':
      return (value) => typeof value === 'number'
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'integer':
      return Number.isInteger
    case 'null':
      return (value) => value === null
    case 'array':
      return Array.isArray
    case 'object':
      return (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
  }
}
