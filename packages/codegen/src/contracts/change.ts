import { parsePointer, pointerOf } from '@toolgen/runtime/schema'
import type { Installed } from '../dev/installed-runtime.js'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import { changedText, notesIn, type Said } from '../imports/tool-changes.js'
import { type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { definitionsUsed, refName } from '../schema/references.js'
import { byCodePoint } from '../text.js'
import { type Defs, schemaAt, schemaOf, schemasIn, sidesOf } from './flatten.js'
import { type Inclusion, inclusionOf } from './inclusion.js'
import type { Prover } from './prover.js'
import { ruleOf } from './rules.js'
import { sameSchema } from './same-schema.js'
import type { Category, Impact } from './schema-rules.js'
import { Judges } from './value-judge.js'
import { type Refused, type Shown, withWitnesses } from './witness.js'

/** One way in which contracts differ. */
export interface ContractChange extends Subject {
  /** The id of its rule, e.g. `payload-field-required`. */
  readonly rule: string
  readonly category: Category
  readonly severity: Impact
  /** JSON Pointer into the schema of the side, or into the arguments that were recorded. */
  readonly pointer?: string
  /** Where it is in a definition that tools may share, where both contracts lead to it; absent where it is in none. */
  readonly definition?: DefinitionLocation
  /** What there was; absent where there was nothing. */
  readonly was?: Json
  /** What there is; absent where there is nothing. */
  readonly is?: Json
  /** Its name before or now, where it seems to have been renamed: nothing else of it changed, and nothing else fits. */
  readonly rename?: Rename
  /** False where it could not be ruled out that something changed for values, and no value was found that shows it. */
  readonly certain: boolean
  /** A value of the schema of the side that one of both contracts takes and the other does not, by their codecs. */
  readonly witness?: Json
  /** All of it in one sentence. */
  readonly message: string
  /** Where the design says it; absent where the design says nothing of it any more. */
  readonly location?: SourceLocation
}

/** The other name of what is gone under one name and new under another. */
type Rename = { readonly to: string } | { readonly from: string }

/** What changed. */
export interface Subject {
  readonly toolset?: string
  /** `toolset.tool` */
  readonly tool?: string
  readonly agent?: string
  readonly side?: 'arguments' | 'result' | 'updates'
}

/** What is known of a change. */
export interface ChangeFacts
  extends Pick<ContractChange, 'pointer' | 'definition' | 'was' | 'is' | 'rename' | 'witness' | 'location'> {
  readonly subject: Subject
  readonly certain?: boolean
  /** How the sentence ends. Default: what there was and is. */
  readonly told?: string
}

/** A change with all that its rule says of it. */
export function newChange(rule: string, { subject, certain = true, told, ...facts }: ChangeFacts): ContractChange {
  const { category, severity } = ruleOf(rule)
  const { pointer, definition, was, is, rename, witness, location } = facts
  const known = {
    ...(was !== undefined && { was }),
    ...(is !== undefined && { is }),
    ...(rename !== undefined && { rename }),
    certain,
  }
  const message = changeMessage({
    rule,
    ...known,
    name: nameOf(subject),
    ...(pointer !== undefined && { at: pointer }),
    ...(told !== undefined && { told }),
  })
  return {
    rule,
    category,
    severity,
    ...subject,
    ...(pointer !== undefined && { pointer }),
    ...(definition !== undefined && { definition }),
    ...known,
    ...(witness !== undefined && { witness }),
    message,
    ...(location !== undefined && { location }),
  }
}

/** What a sentence tells of a change. */
interface Told extends Pick<ContractChange, 'rule' | 'was' | 'is' | 'rename' | 'certain'> {
  /** Of what it is told; see {@link nameOf} and {@link namesOf}. */
  readonly name: string
  /** Where it is, in words. */
  readonly at?: string
  /** How the sentence ends. Default: what there was and is. */
  readonly told?: string
}

/** All of a change in one sentence. */
export function changeMessage({ rule, was, is, rename, certain, name, at, told }: Told): string {
  const isKnown = was !== undefined || is !== undefined
  const end = told ?? (isKnown ? changedText({ what: 'it', was, is }) : undefined)
  const location = at === undefined || at === '' ? '' : `, at ${at}`
  const doubt = certain ? '' : ' This is uncertain: no value was found that shows it.'
  const { says, maySay = says } = ruleOf(rule)
  return `${name} ${certain ? says : maySay}${location}${end === undefined ? '' : `: ${end}`}.${doubt}${renameText(rename)}`
}

const sides = { arguments: 'payload', result: 'result', updates: 'update' } as const

/** What changed, in words. */
function nameOf({ toolset, tool, agent, side }: Subject): string {
  if (side !== undefined) return `The ${sides[side]} of '${tool}'`
  if (agent !== undefined) return `The agent '${agent}'`
  return tool === undefined ? `The toolset '${toolset}'` : `The tool '${tool}'`
}

/** How many tools are named before the others are counted. */
const mostNamed = 3

/** A side of several tools, in words. */
export function namesOf(side: Subject['side'] & string, tools: readonly string[]): string {
  const named = tools.slice(0, tools.length > mostNamed + 1 ? mostNamed : tools.length).map((tool) => `'${tool}'`)
  const others = tools.length - named.length
  const all = others === 0 ? named : [...named, `${others.toLocaleString('en')} other tools`]
  return `The ${sides[side]} of ${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}

function renameText(rename: Rename | undefined): string {
  if (rename === undefined) return ''
  return 'to' in rename ? ` It looks renamed to '${rename.to}'.` : ` It looks renamed from '${rename.from}'.`
}

/** Where something stands that several tools may share. */
interface DefinitionLocation {
  readonly name: string
  /** JSON Pointer into the definition, with references followed. */
  readonly pointer: string
}

/** The innermost definition to which a pointer leads that has references followed; `undefined` where it leads to none. */
function definitionAt(schema: Schema, pointer: string, defs: Defs): DefinitionLocation | undefined {
  const keys = parsePointer(pointer) ?? []
  const [first, name, ...inner] = keys
  // What is said beside the rules is told with the definition.
  if (first === '$defs' && name !== undefined) return { name, pointer: pointerOf(inner) }
  return innermost(schema, keys, defs)?.definition
}

interface Reached {
  readonly definition: DefinitionLocation | undefined
}

/** Follows keys as far as they lead into parts of a schema; what is left of them names what the schema says. */
function innermost(schema: Schema, keys: readonly string[], defs: Defs): Reached | undefined {
  if (typeof schema === 'boolean') return { definition: undefined }
  const name = refName(own(schema, '$ref'))
  const target = name === undefined ? undefined : own(defs, name)
  if (name !== undefined && target !== undefined) {
    const reached = innermost(target, keys, defs)
    if (reached !== undefined) return { definition: reached.definition ?? { name, pointer: pointerOf(keys) } }
  }
  for (const part of schemasIn(own(schema, 'allOf')) ?? []) {
    const reached = innermost(part, keys, defs)
    if (reached?.definition !== undefined) return reached
  }
  const step = stepInto(schema, keys)
  return step === undefined ? { definition: undefined } : innermost(step.part, step.left, defs)
}

function stepInto(
  schema: SchemaObject,
  [keyword = '', key = '', ...left]: readonly string[],
): { readonly part: Schema; readonly left: readonly string[] } | undefined {
  const single = ['items', 'additionalProperties'].includes(keyword) ? schemaAt(schema, keyword) : undefined
  if (single !== undefined) return { part: single, left: key === '' ? left : [key, ...left] }
  const listed = ['anyOf', 'oneOf', 'prefixItems'].includes(keyword) ? schemasIn(own(schema, keyword)) : undefined
  const named = ['properties', 'patternProperties'].includes(keyword) ? schemaOf(schema, keyword, key) : undefined
  const part = listed?.[Number(key)] ?? named
  return part === undefined ? undefined : { part, left }
}

/** The definitions of a toolset before and now: what is found of them is found once for all of its tools. */
export interface Definitions {
  readonly payload: Comparisons
  /** Of results and updates. */
  readonly result: Comparisons
  readonly notes: NoteChanges
  /** The definition to which a pointer leads in schemas of before and of now; `undefined` where it leads to none, or to two. */
  readonly at: (was: Schema, is: Schema, pointer: string) => DefinitionLocation | undefined
  /** Whether a schema of before and one of now have the same rules. */
  readonly isSame: (was: Schema, is: Schema) => boolean
}

/** What makes the codecs of payloads and of results: the functions of the installed runtime that generated code uses. */
export interface Codecs {
  readonly payload: Installed
  readonly result: Installed
}

/**
 * Schemas are compared when they are asked for, with the definitions to which they refer.
 *
 * @param codecs judge the values that show differences; absent: there are none
 */
export function definitionsOf(was: Defs, is: Defs, codecs: Codecs | undefined): Definitions {
  const sides = sidesOf(was, is)
  return {
    payload: comparisonsOf(was, is, 'known', codecs?.payload),
    result: comparisonsOf(was, is, 'any', codecs?.result),
    notes: noteChangesOf(was, is),
    at: (before, now, pointer) => {
      const [from, to] = [definitionAt(before, pointer, was), definitionAt(now, pointer, is)]
      return from?.name === to?.name && from?.pointer === to?.pointer ? from : undefined
    },
    isSame: (before, now) => sameSchema(before, now, sides),
  }
}

/** How schemas of before and of now are compared that refer to the same definitions. */
interface Comparisons {
  /** Of values of before, which may not be taken now. */
  readonly narrowed: Comparison
  /** Of values of now, which may not have been taken before. */
  readonly widened: Comparison
}

/** How schemas whose values are taken are compared with those that are to take them. */
interface Comparison {
  /** Why not every value is taken. */
  readonly refusals: Inclusion
  /** What is told of that, with values that show it. */
  readonly show: (refused: Refused) => readonly Shown[]
}

/**
 * Compares schemas in both directions.
 *
 * @param makeCodec makes the codecs that judge the values which show something; absent: nothing is shown
 */
export function comparisonsOf(
  was: Defs,
  is: Defs,
  fields: Prover['fields'],
  makeCodec: Installed | undefined,
): Comparisons {
  const judges = makeCodec && { was: new Judges(was, makeCodec), is: new Judges(is, makeCodec) }
  const show = (taken: Judges | undefined, taker: Judges | undefined): Comparison['show'] =>
    taken === undefined || taker === undefined
      ? ({ told }) => told
      : (refused) => withWitnesses(refused, { taken, taker, fields })
  return {
    narrowed: { refusals: inclusionOf({ taken: was, taker: is, fields }), show: show(judges?.was, judges?.is) },
    widened: { refusals: inclusionOf({ taken: is, taker: was, fields }), show: show(judges?.is, judges?.was) },
  }
}

/** What is said otherwise, beside the rules, in a schema and in the definitions that it needs before and now. */
type NoteChanges = (was: Schema, is: Schema) => readonly Said[]

/** Compares what is said in definitions, each once. */
function noteChangesOf(was: Defs, is: Defs): NoteChanges {
  const changed = Object.keys(was)
    .filter((name) => Object.hasOwn(is, name))
    .map((name) => ({ name, said: notesIn(was[name], is[name], `/$defs${pointerOf([name])}`) }))
    .filter(({ said }) => said.length > 0)
    .sort((a, b) => byCodePoint(a.name, b.name))
  const [usedBefore, usedNow] = [usedIn(was), usedIn(is)]
  return (from, to) => {
    const found = notesIn(from, to, '')
    if (changed.length === 0) return found
    const [before, now] = [usedBefore(from), usedNow(to)]
    const inBoth = changed.filter(({ name }) => before.has(name) && now.has(name))
    return [...found, ...inBoth.flatMap(({ said }) => said)]
  }
}

/** Finds the definitions that a schema needs, also through others; each definition is read once. */
function usedIn(defs: Defs): (schema: Schema) => ReadonlySet<string> {
  // Without what is in them only those are found that the schema itself names.
  const names: Defs = Object.fromEntries(Object.keys(defs).map((name) => [name, true]))
  const named = new Map<string, readonly string[]>()
  const namedBy = (name: string): readonly string[] => {
    const found = named.get(name) ?? definitionsUsed(defs[name] ?? true, names)
    named.set(name, found)
    return found
  }
  return (schema) => {
    const used = new Set(definitionsUsed(schema, names))
    for (const name of used) for (const inner of namedBy(name)) used.add(inner)
    return used
  }
}
