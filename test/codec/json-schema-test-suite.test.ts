import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isToolgenError } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { payloadCodec } from '../../packages/runtime/src/codec/codecs.js'
import type { JsonSchema } from '../../packages/runtime/src/types/json.js'
import { dataFolder, hasData } from '../data.js'

interface Group {
  readonly description: string
  readonly schema: JsonSchema
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** What is refused with a schema error, and why: references to other documents. */
const refused: readonly RegExp[] = [
  /^refRemote\.json: /,
  /^defs\.json: /,
  /^ref\.json: remote ref, containing refs itself$/,
  /^dynamicRef\.json: \$ref and \$dynamicAnchor are independent of order - \$defs first$/,
  /^optional\/cross-draft\.json: /,
]

/** What is asserted here and an annotation in the suite: the verdict is the opposite. */
const opposite: readonly RegExp[] = [
  /^format\.json: .*: invalid (?:email|regex|ipv4|ipv6|hostname|date|date-time|time|uri|uri-reference|uuid|duration) string is only an annotation by default$/,
]

/** What is accepted although the suite rejects it, and why. */
const tolerated: readonly RegExp[] = [
  // `dependencies` is a keyword of older drafts; the generator converts it.
  /^optional\/dependencies-compatibility\.json: /,
  // Labels in Punycode are checked as letters, digits and hyphens, without the tables of IDNA.
  /^optional\/format\/hostname\.json: validation of A-label \(punycode\) host names: /,
  // Formats that are not asserted.
  /^optional\/format\/(?:idn-email|idn-hostname|iri|iri-reference|json-pointer|relative-json-pointer|uri-template)\.json: /,
]

const folder = join(dataFolder() ?? '', 'jsts/draft2020-12')
const files = hasData
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.json'))
      .sort()
  : []

describe.skipIf(!hasData)('JSON Schema Test Suite, draft 2020-12 (needs the data folder)', () => {
  it.each(files)('%s', (file) => {
    const unexpected: string[] = []
    for (const group of groupsOf(file)) {
      const name = `${file}: ${group.description}`
      const codec = payloadCodec<unknown, unknown>({ schema: group.schema, unknown: 'keep' })
      for (const { description, data, valid } of group.tests) {
        const expected = expectedVerdicts(name, description, valid)
        const verdicts = [
          verdictOf(() => codec.decodeValue(data).ok),
          verdictOf(() => codec.decode(JSON.stringify(data)).ok),
        ]
        if (!verdicts.every((verdict) => expected.includes(verdict))) {
          unexpected.push(`${name}: ${description}: ${verdicts.join(', ')} instead of ${valid}`)
        }
      }
    }
    expect(unexpected).toEqual([])
  })

  it('holds cases to run', () => {
    expect(files.flatMap(groupsOf).flatMap((group) => group.tests).length).toBeGreaterThan(500)
  })
})

function expectedVerdicts(group: string, description: string, valid: boolean): readonly (boolean | 'refused')[] {
  if (refused.some((pattern) => pattern.test(group))) return ['refused']
  const name = `${group}: ${description}`
  if (opposite.some((pattern) => pattern.test(name))) return [!valid]
  return tolerated.some((pattern) => pattern.test(name)) ? [valid, true] : [valid]
}

function groupsOf(file: string): readonly Group[] {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'))
}

function verdictOf(decide: () => boolean): boolean | 'refused' {
  try {
    return decide()
  } catch (error) {
    if (isToolgenError(error, 'SchemaError')) return 'refused'
    throw error
  }
}
