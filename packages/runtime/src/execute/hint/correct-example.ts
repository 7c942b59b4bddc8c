import { isFields } from '../../codec/json/kind.js'
import { setOwn } from '../../codec/json/own.js'
import { validExample } from '../../codec/valid-example.js'
import type { Codec } from '../../contract/codec.js'
import type { Issue } from '../../contract/issue.js'
import type { JsonSchema, JsonValue } from '../../contract/json.js'
import { demandingSchema, faultyPlaces } from './demanding-schema.js'

/** An example longer than this is shortened to the fields that matter. */
const LONGEST_EXAMPLE = 120

/** An example to which optional fields were added is to leave room for what is said of them. */
const LONGEST_ADDED = 100

type Place = readonly string[]

/** What examples of a tool's arguments come from. */
export interface ExampleSource {
  readonly spec: { readonly arguments: JsonSchema }
  readonly payload: Pick<Codec<never, unknown>, 'decodeValue'>
  readonly examples: {
    /** The author's examples that the codec takes. */
    readonly fitting: readonly JsonValue[]
    /** One made from the schema, where that can be done. */
    readonly made: JsonValue | undefined
  }
}

/**
 * Arguments that the tool's codec takes, the best to show first: the author's first example, then one made from the
 * schema, then the author's others. A long one is shortened to the required and the faulty fields, when what is left
 * still fits. Where a faulty field is optional, an example that shows it comes before one that does not.
 */
export function* exampleCandidates(tool: ExampleSource, issues: readonly Issue[]): Generator<JsonValue> {
  const places = faultyPlaces(issues)
  const usual = [...usualCandidates(tool, places)]
  const [best] = usual
  const hidden = places.filter((place) => best === undefined || !shows(best, place))
  const telling = hidden.length === 0 ? undefined : tellingExample(tool, hidden, best)
  if (telling !== undefined) yield telling
  yield* usual
}

function* usualCandidates(tool: ExampleSource, places: readonly Place[]): Generator<JsonValue> {
  const [first, ...others] = tool.examples.fitting
  if (first !== undefined) {
    const shorter = isShort(first) ? [first] : [neededFields(first, tool, places), tool.examples.made]
    yield* shorter.filter(isGiven).filter((example) => isShort(example))
    if (!isShort(first)) yield first
  }
  if (isGiven(tool.examples.made)) yield tool.examples.made
  yield* others
}

/** Whether an example holds something at a place, as far as the steps lead through objects and the first items. */
function shows(example: JsonValue, place: Place): boolean {
  let part: unknown = example
  for (const step of place) {
    const key = Array.isArray(part) ? '0' : step
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return false
    part = Reflect.get(part, key)
  }
  return true
}

/**
 * The usual example with the faulty parts that it lacks, else one that is made with them. `undefined` where none fits
 * or is short, and where it would show nothing more.
 */
function tellingExample(
  tool: ExampleSource,
  hidden: readonly Place[],
  usual: JsonValue | undefined,
): JsonValue | undefined {
  const schema = demandingSchema(tool.spec.arguments, hidden)
  const made = validExample(schema)
  if (made === undefined) return undefined
  const candidates = [usual === undefined ? undefined : completed(usual, made, hidden), made]
  return candidates
    .filter(isGiven)
    .find(
      (example) =>
        hidden.some((place) => shows(example, place)) &&
        isShort(example, LONGEST_ADDED) &&
        tool.payload.decodeValue(example).ok,
    )
}

/** An example with the fields that lead to places, each as another example has it. */
function completed(example: JsonValue, made: JsonValue, places: readonly Place[]): JsonValue | undefined {
  if (!isFields(example) || !isFields(made)) return undefined
  const whole: { [name: string]: JsonValue } = { ...example }
  for (const [name] of places) {
    const field = name !== undefined && Object.hasOwn(made, name) ? made[name] : undefined
    if (name !== undefined && field !== undefined) setOwn(whole, name, field)
  }
  return whole
}

/** The example with its required fields and those that were faulty; `undefined` when that does not fit. */
function neededFields(example: JsonValue, tool: ExampleSource, places: readonly Place[]): JsonValue | undefined {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return undefined
  const schema = tool.spec.arguments
  const required = typeof schema === 'object' && Array.isArray(schema.required) ? schema.required : []
  const needed = new Set<unknown>([...required, ...places.map(([field]) => field)])
  const shorter: JsonValue = Object.fromEntries(Object.entries(example).filter(([field]) => needed.has(field)))
  return tool.payload.decodeValue(shorter).ok ? shorter : undefined
}

function isGiven(example: JsonValue | undefined): example is JsonValue {
  return example !== undefined
}

function isShort(example: JsonValue, longest: number = LONGEST_EXAMPLE): boolean {
  return JSON.stringify(example).length <= longest
}
