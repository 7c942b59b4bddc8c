import type { JsonValue } from '../../packages/runtime/src/index.js'
import type { Random } from '../codec/differential/random.js'

type Holder = Record<string, any> // `any`: a mutated tree no longer has its type

/** Location in a JSON tree. */
interface Place {
  readonly holder: Holder
  readonly key: string
}

const HOSTILE_KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'then', 'toJSON', 'version', '']
const STRANGE: readonly JsonValue[] = [
  null,
  true,
  '',
  '__proto__',
  0,
  -1,
  0.5,
  1e308,
  2 ** 53,
  -(2 ** 31),
  'approval',
  'clarification',
  'completed',
  'suspended',
  'answered',
  'missing_fields',
  [],
  {},
  [[]],
  { nothing: 1 },
  'x'.repeat(5_000),
]

/** Parses JSON and changes one to four locations. The result can be equal to the original; such cases are useless but harmless. */
export function mutatedJson(random: Random, text: string): any {
  const tree: Holder = { root: JSON.parse(text) }
  for (let changes = 1 + random.below(random.chance(0.6) ? 1 : 4); changes > 0 && 'root' in tree; changes -= 1) {
    random.pick(random.chance(0.1) ? SELDOM : OFTEN)(random, tree)
  }
  return tree.root
}

type Mutation = (random: Random, tree: Holder) => void

const dropped: Mutation = (random, tree) => {
  const { holder, key } = anyPlace(random, tree)
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

const doubled: Mutation = (random, tree) => {
  const { holder, key } = anyPlace(random, tree)
  const copy = copyOf(holder[key])
  if (Array.isArray(holder)) holder.splice(Number(key), 0, copy)
  else set(holder, random.chance(0.5) ? `${key}2` : random.pick(HOSTILE_KEYS), copy)
}

const renamed: Mutation = (random, tree) => {
  const { holder, key } = anyPlace(random, tree)
  const value = holder[key]
  delete holder[key]
  set(holder, random.chance(0.5) ? key.toUpperCase() : random.pick(HOSTILE_KEYS), value)
}

const replaced: Mutation = (random, tree) => {
  const { holder, key } = anyPlace(random, tree)
  set(holder, key, random.pick(STRANGE))
}

const bent: Mutation = (random, tree) => {
  const { holder, key } = anyPlace(random, tree)
  const value = holder[key]
  if (typeof value === 'string') set(holder, key, value.slice(0, random.below(value.length + 1)))
  if (typeof value === 'number') set(holder, key, value + random.pick([-1, 1, 0.5, 1e9]))
  if (Array.isArray(value) && random.chance(0.5)) value.reverse()
  else if (Array.isArray(value)) value.push(random.chance(0.5) ? { reason: 'tired' } : random.pick(STRANGE))
}

const swapped: Mutation = (random, tree) => {
  const [one, other] = [anyPlace(random, tree), anyPlace(random, tree)]
  const [value, instead] = [copyOf(one.holder[one.key]), copyOf(other.holder[other.key])]
  set(one.holder, one.key, instead)
  if (random.chance(0.5)) set(other.holder, other.key, value)
}

const buried: Mutation = (random, tree) => {
  const { holder, key } = anyPlace(random, tree)
  let nest: JsonValue = holder[key]
  for (let depth = random.pick([10, 300, 5_000]); depth > 0; depth -= 1) nest = random.chance(0.5) ? [nest] : { nest }
  set(holder, key, nest)
}

/** Duplicates the step with pending calls. */
const doubledStep: Mutation = (_, { root }) => {
  if (!Array.isArray(root?.calls) || !Array.isArray(root.progress?.outcomes)) return
  root.progress.outcomes.push(...(copyOf(root.progress.outcomes.slice(-root.calls.length)) ?? []))
  root.calls.push(...(copyOf(root.calls) ?? []))
}

const anotherRoot: Mutation = (random, tree) => {
  const { root } = tree
  const versions = [0, 2, 1e308, '1', null].map((version) => ({ ...root, version }))
  tree.root = random.pick<unknown>([null, [], 'text', 7, root?.progress ?? {}, ...versions])
}

/** Nests the suspension in its own calls. */
const beneathItself: Mutation = (random, { root }) => {
  if (!Array.isArray(root?.progress?.outcomes)) return
  for (const outcome of root.progress.outcomes) {
    if (typeof outcome?.suspension === 'object' && outcome.suspension !== null) outcome.suspension.nested = copyOf(root)
    if (random.chance(0.5)) break
  }
}

const OFTEN = [dropped, doubled, renamed, replaced, bent, swapped, buried]
const SELDOM = [doubledStep, anotherRoot, beneathItself]

/** Returns a copy with own keys only, including `__proto__`. Returns `null` for `undefined` and for values that are nested too deeply. */
function copyOf(value: any): any {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null')
  } catch {
    return null
  }
}

function set(holder: Holder, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Returns a random location. Deep locations are as likely as others. */
function anyPlace(random: Random, tree: Holder): Place {
  const places: Place[] = []
  const visit = (holder: Holder, depth: number): void => {
    if (depth > 40) return
    for (const key of Object.keys(holder)) {
      places.push({ holder, key })
      const value = holder[key]
      if (typeof value === 'object' && value !== null) visit(value, depth + 1)
    }
  }
  visit(tree, 0)
  return random.pick(places)
}
