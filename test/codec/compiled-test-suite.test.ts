import { describe, expect, it } from 'vitest'
import { hasData } from '../data.js'
import { filesOf, groupsOf, importedGroup, type Suite } from '../intake/suite.fixture.js'
import { disagreement } from './differential/compare.js'
import { codecPair } from './differential/compiled-codecs.js'

/** A draft of the suite, with how many of its schemas the generator compiles. */
interface CountedSuite extends Suite {
  readonly schemas: number
  readonly checks: number
  readonly writers: number
  /** Values that were given to a compiled codec, once for each of the three ways with undeclared fields. */
  readonly judged: number
  /**
   * Schemas without a generated check, by file: variants of `oneOf` that overlap and list fields, and `unevaluated*`
   * beside anything but plain fields.
   */
  readonly interpreted: Readonly<Record<string, number>>
}

const suites: Readonly<Record<string, CountedSuite>> = {
  'draft-07': {
    folder: 'draft7',
    $schema: 'http://json-schema.org/draft-07/schema#',
    schemas: 150,
    checks: 148,
    writers: 143,
    judged: 2601,
    interpreted: { 'oneOf.json': 2 },
  },
  'draft 2020-12': {
    folder: 'draft2020-12',
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    schemas: 203,
    checks: 170,
    writers: 162,
    judged: 2769,
    interpreted: { 'not.json': 1, 'oneOf.json': 2, 'unevaluatedItems.json': 13, 'unevaluatedProperties.json': 17 },
  },
}

/** Compiles every schema of a suite and gives its values to both codecs. */
function compared(suite: Suite) {
  const counts = { schemas: 0, checks: 0, writers: 0, judged: 0 }
  const interpreted: Record<string, number> = {}
  const faults: string[] = []
  for (const file of filesOf(suite)) {
    for (const group of groupsOf(suite, file)) {
      const { value } = importedGroup(group, suite)
      if (value === undefined) continue
      const source = { schema: value.root, defs: Object.fromEntries(value.defs) }
      const pairs = (['reject', 'strip', 'keep'] as const).map(
        (unknown) => [unknown, codecPair(source, unknown)] as const,
      )
      counts.schemas += 1
      if (pairs.every(([, { compiled }]) => compiled !== undefined)) counts.checks += 1
      else interpreted[file] = (interpreted[file] ?? 0) + 1
      if (pairs.every(([, { writes }]) => writes)) counts.writers += 1
      for (const [unknown, { compiled, interpreted: other }] of pairs) {
        if (compiled === undefined) continue
        for (const { description, data } of group.tests) {
          counts.judged += 1
          const fault = disagreement(compiled, other, data)
          if (fault !== undefined) faults.push(`${file}: ${group.description}: ${description}: ${unknown}: ${fault}`)
        }
      }
    }
  }
  return { ...counts, interpreted, faults }
}

describe.skipIf(!hasData).each(Object.entries(suites))(
  'JSON Schema Test Suite, %s, through generated functions (needs the data folder)',
  (_, { folder, $schema, ...expected }) => {
    it(`gets the interpreter's answers for ${expected.judged} values from ${expected.checks} checks`, () => {
      expect(compared({ folder, $schema })).toEqual({ ...expected, faults: [] })
    })
  },
)
