import { describe, expect, it } from 'vitest'
import { hasData } from '../data.js'
import { filesOf, type Group, groupsOf, type Suite, verdictsOf } from './suite.fixture.js'

/** A draft of the suite, with how many of its groups and cases end how. */
interface CountedSuite extends Suite {
  readonly required: { readonly passed: number; readonly opposite: number; readonly refusedGroups: number }
  readonly optional: { readonly passed: number; readonly tolerated: number; readonly refusedGroups: number }
}

const suites: Readonly<Record<string, CountedSuite>> = {
  'draft-07': {
    folder: 'draft7',
    $schema: 'http://json-schema.org/draft-07/schema#',
    required: { passed: 445, opposite: 0, refusedGroups: 9 },
    optional: { passed: 360, tolerated: 70, refusedGroups: 1 },
  },
  'draft 2020-12': {
    folder: 'draft2020-12',
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    required: { passed: 600, opposite: 7, refusedGroups: 15 },
    optional: { passed: 381, tolerated: 51, refusedGroups: 3 },
  },
}

/** What is refused (TG3012): `docs/json-schema.md` tells why. */
const refused: readonly RegExp[] = [
  // References to other documents, the meta-schemas among them.
  /^refRemote\.json: /,
  /^definitions\.json: validate definition against metaschema$/,
  /^ref\.json: remote ref, containing refs itself$/,
  /^dynamicRef\.json: \$ref and \$dynamicAnchor are independent of order - \$defs first$/,
  /^optional\/cross-draft\.json: refs to (?:future|historic) drafts are processed as (?:future|historic) drafts$/,
  // Dynamic references that can lead to several places.
  /^dynamicRef\.json: after leaving a dynamic scope, it is not used by a \$dynamicRef$/,
  /^optional\/dynamicRef\.json: \$dynamicRef skips over intermediate resources - pointer reference across resource boundary$/,
  // Dialects of another document.
  /^vocabulary\.json: ignore unrecognized optional vocabulary$/,
  /^optional\/format-assertion\.json: schema that uses custom metaschema with format-assertion: false$/,
]

/** What is asserted here and an annotation in the suite: the verdict is the opposite. */
const opposite: RegExp =
  /^format\.json: .*: invalid (?:email|regex|ipv4|ipv6|hostname|date|date-time|time|uri|uri-reference|uuid|duration) string is only an annotation by default$/

/** Optional cases where more is taken than by the suite: `docs/json-schema.md` tells why. */
const tolerated: readonly RegExp[] = [
  // What a text holds (`contentEncoding`, `contentMediaType`) is an annotation.
  /^optional\/content\.json: /,
  // Labels in Punycode are checked as letters, digits and hyphens, without the tables of IDNA.
  /^optional\/format\/hostname\.json: validation of A-label \(punycode\) host names: /,
  // Formats that are annotations.
  /^optional\/format\/(?:idn-email|idn-hostname|iri|iri-reference|json-pointer|relative-json-pointer|uri-template)\.json: /,
]

/** How the cases of a group end, and those that should not end so. */
function judge(suite: Suite, file: string, group: Group) {
  const name = `${file}: ${group.description}`
  const { refused: codes, judged } = verdictsOf(group, suite)
  const isRefused = refused.some((pattern) => pattern.test(name))
  const counts = { passed: 0, opposite: 0, tolerated: 0, refusedGroups: codes.length > 0 ? 1 : 0 }
  const unexpected: string[] = []
  if (codes.length > 0 !== isRefused || codes.some((code) => code !== 'TG3012')) {
    unexpected.push(`${name}: ${codes.join() || 'not refused'}`)
  }
  for (const [index, verdict] of judged.entries()) {
    const { description, valid } = group.tests[index] ?? { description: '', valid: !verdict }
    const isOpposite = opposite.test(`${name}: ${description}`)
    if (verdict === valid && !isOpposite) counts.passed += 1
    else if (verdict !== valid && isOpposite) counts.opposite += 1
    else if (verdict && tolerated.some((pattern) => pattern.test(`${name}: ${description}`))) counts.tolerated += 1
    else unexpected.push(`${name}: ${description}: ${verdict} instead of ${valid}`)
  }
  return { counts, unexpected }
}

/** How the cases of all files end; the optional ones stand in a folder of their own. */
function countsOf(suite: Suite, isOptional: boolean) {
  const files = filesOf(suite).filter((file) => file.startsWith('optional') === isOptional)
  const all = files.flatMap((file) => groupsOf(suite, file).map((group) => judge(suite, file, group).counts))
  const sum = (count: keyof (typeof all)[number]): number => all.reduce((total, counts) => total + counts[count], 0)
  return {
    passed: sum('passed'),
    opposite: sum('opposite'),
    tolerated: sum('tolerated'),
    refusedGroups: sum('refusedGroups'),
  }
}

describe.skipIf(!hasData).each(Object.entries(suites))(
  'JSON Schema Test Suite, %s, through the intake (needs the data folder)',
  (_, suite) => {
    it.each(filesOf(suite))('%s', (file) => {
      expect(groupsOf(suite, file).flatMap((group) => judge(suite, file, group).unexpected)).toEqual([])
    })

    const { required, optional } = suite
    it(`passes ${required.passed} required cases, and refuses ${required.refusedGroups} schemas`, () => {
      expect(countsOf(suite, false)).toEqual({ tolerated: 0, ...required })
    })

    it(`passes ${optional.passed} optional cases, and refuses ${optional.refusedGroups} schemas`, () => {
      expect(countsOf(suite, true)).toEqual({ opposite: 0, ...optional })
    })
  },
)
