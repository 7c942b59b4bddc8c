import { posix } from 'node:path'
import { type ImportKind, importNames } from '../imports/names.js'
import { titleOf } from '../ir/identifiers.js'

import type { AgentIr, DesignIr, ToolIr, ToolsetIr } from '../ir/types.js'
import type { Vendor } from '../load/config-checks.js'
import { own, type Schema } from '../schema/json-schema.js'
import { resolveShape, type Shape, type ShapeField, shapeOf } from '../schema/shape.js'
import { type Offer, offersOf, type VendorForm, type VendorForms } from '../tokens/vendor-forms.js'

/** What rules look at. */
export interface Scene {
  readonly design: DesignIr
  /** The tools of the design, toolset by toolset; of what was imported, those that an agent has. */
  readonly tools: readonly ToolScene[]
  /** Agents by name, then toolsets of the design itself that no agent uses. */
  readonly sights: readonly Sight[]
  /** How tools are sent; vendors of which nobody asks are missing. */
  readonly forms: VendorForms
}

/** A tool with what models send to it and read of it. */
export interface ToolScene {
  readonly toolset: ToolsetIr
  readonly tool: ToolIr
  /** What a model sends. */
  readonly fields: readonly Field[]
  /** What it answers. */
  readonly resultFields: readonly Field[]
}

/** Tools that one model sees at once. */
export interface Sight {
  /** Absent: the tools are a toolset that no agent uses. */
  readonly agent?: AgentIr
  readonly tools: readonly SeenTool[]
}

/** A tool under the name by which that model knows it. */
export interface SeenTool extends ToolScene {
  readonly toolName: string
}

/** Prepares a design for the rules. What was imported and no agent has, no model sees. */
export function sceneOf(design: DesignIr, forms: VendorForms): Scene {
  const offers = offersOf(design).filter((offer) => offer.kind === 'agent' || importOf(offer.toolset) === undefined)
  const offered = new Set(offers.flatMap(({ tools }) => tools.map(({ tool }) => tool)))
  const scenes = new Map(
    design.toolsets.flatMap((toolset) => {
      const { tools } = toolset
      const seen = importOf(toolset) === undefined ? tools : tools.filter((tool) => offered.has(tool))
      return seen.map((tool) => [tool, sceneIn(toolset, tool)])
    }),
  )
  return { design, tools: [...scenes.values()], sights: offers.map((offer) => sightOf(offer, scenes)), forms }
}

function sceneIn(toolset: ToolsetIr, tool: ToolIr): ToolScene {
  const { defs } = toolset
  return { toolset, tool, fields: fieldsOf(tool.arguments, defs), resultFields: fieldsOf(tool.result, defs) }
}

function sightOf(offer: Offer, scenes: ReadonlyMap<ToolIr, ToolScene>): Sight {
  const tools = offer.tools.flatMap(({ tool, toolName }): readonly SeenTool[] => {
    const scene = scenes.get(tool)
    return scene === undefined ? [] : [{ ...scene, toolName }]
  })
  return offer.kind === 'agent' ? { agent: offer.agent, tools } : { tools }
}

/** One rule of `toolgen lint`. Its reason, and what to do about a finding, are in the catalogue of codes. */
export interface Rule {
  /** What designs, configurations and people call it: kebab-case. */
  readonly id: string
  readonly code: string
  /** What to do about a finding, in one sentence. */
  readonly next: string
  /** Modules of a design, written with `z`, of which the rule finds something in the first alone. */
  readonly examples: { readonly bad: string; readonly good: string }
  /** Whose form of the tools it looks at. */
  readonly vendor?: Vendor
  readonly check: (scene: Scene) => readonly Finding[]
}

/** What a rule found. */
export interface Finding {
  readonly about: Subject
  /** What is wrong, in one sentence. */
  readonly message: string
  /** Further facts, a line each. */
  readonly facts?: readonly string[]
  /** What is sent of the tool that it is about. */
  readonly form?: VendorForm
}

/** What a finding is about. */
export type Subject =
  | {
      readonly kind: 'tool'
      readonly toolset: string
      readonly tool: string
      /** Where in its definition, e.g. `['description']`. */
      readonly path?: readonly (string | number)[]
      /** The field of the payload, in place of a path. */
      readonly field?: Field
    }
  | { readonly kind: 'toolset'; readonly toolset: string; readonly path?: readonly (string | number)[] }
  | { readonly kind: 'agent'; readonly agent: string; readonly path?: readonly (string | number)[] }

/** A tool as the subject of a finding. */
export function aboutTool({ tool, toolset }: ToolScene, ...path: readonly string[]): Subject {
  return { kind: 'tool', toolset: toolset.name, tool: tool.name, ...(path.length > 0 && { path }) }
}

/** A field of what is sent to a tool as the subject of a finding. */
export function aboutField({ tool, toolset }: ToolScene, field: Field): Subject {
  return { kind: 'tool', toolset: toolset.name, tool: tool.name, field }
}

/** Names as a message lists them, the first few of them. */
export function listed(names: readonly string[], most: number = 6): string {
  const shown = names.slice(0, most).map((name) => `\`${name}\``)
  const left = names.length - shown.length
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ')
}

/** A field of what is sent or answered, at whatever depth. */
export interface Field {
  /** As people read it: `lines[].sku`. */
  readonly path: string
  /** The names that lead to it: `['lines', 'sku']`. */
  readonly names: readonly string[]
  readonly name: string
  /** What it holds: references followed, and `null` left out where there is something else. */
  readonly shape: Shape
  readonly required: boolean
  /** What is said of it, there or at the definition that it refers to. */
  readonly description?: string
}

type Defs = Readonly<Record<string, Schema>>

interface Walk {
  readonly defs: Defs
  /** By path: variants of a union often have a field in common. */
  readonly found: Map<string, Field>
}

/** Fields beyond these are not looked at: no model reads them either. */
const most = 2_000

/** Every field of a schema with those inside it, in the order of the design; what contains itself is gone into once. */
function fieldsOf(schema: Schema, defs: Defs): readonly Field[] {
  const found = new Map<string, Field>()
  walk(shapeOf(schema, defs), { path: '', names: [] }, [], { defs, found })
  return [...found.values()]
}

/** The shape without references and without `null` beside one other shape. */
export function plainShape(shape: Shape, defs: Defs): Shape {
  const resolved = resolveShape(shape, defs)
  if (resolved.kind !== 'union') return resolved
  const [first, ...others] = resolved.variants.filter(({ kind }) => kind !== 'null')
  return first !== undefined && others.length === 0 ? resolveShape(first, defs) : resolved
}

type Above = Pick<Field, 'path' | 'names'>

function walk(shape: Shape, above: Above, open: readonly string[], context: Walk): void {
  if (context.found.size > most) return
  if (shape.kind === 'ref') {
    if (open.includes(shape.name)) return
    walk(shapeOf(own(context.defs, shape.name) ?? true, context.defs), above, [...open, shape.name], context)
    return
  }
  const each = (parts: readonly Shape[], location: Above): void => {
    for (const part of parts) walk(part, location, open, context)
  }
  const listed = { ...above, path: `${above.path}[]` }
  if (shape.kind === 'array') each([shape.items], listed)
  else if (shape.kind === 'tuple') each([...shape.items, ...(shape.rest === undefined ? [] : [shape.rest])], listed)
  else if (shape.kind === 'union') each(shape.variants, above)
  else if (shape.kind === 'intersection') each(shape.parts, above)
  else if (shape.kind === 'object') {
    for (const field of shape.fields) enter(field, above, open, context)
    if (shape.additional !== undefined) each([shape.additional], { ...above, path: join(above.path, '*') })
  }
}

function enter(field: ShapeField, above: Above, open: readonly string[], context: Walk): void {
  const location = { path: join(above.path, field.name), names: [...above.names, field.name] }
  const shape = plainShape(field.shape, context.defs)
  const known = context.found.get(location.path)
  // A variant that only requires a field says nothing of it.
  if (known !== undefined && (known.shape.kind !== 'unknown' || shape.kind === 'unknown')) return
  const description = field.description ?? describedBy(shape)
  const { name, required } = field
  context.found.set(location.path, {
    ...location,
    name,
    shape,
    required,
    ...(description !== undefined && { description }),
  })
  walk(field.shape, location, open, context)
}

/** What a definition says of itself, or a list of its items. */
function describedBy(shape: Shape): string | undefined {
  const said = own(shape.schema, 'description')
  if (typeof said === 'string') return said
  return shape.kind === 'array' && shape.items.kind !== 'ref' ? describedBy(shape.items) : undefined
}

function join(above: string, name: string): string {
  return above === '' ? name : `${above}.${name}`
}

/** The ids that a tool answers, as far as its result says. */
interface GivenIds {
  readonly tool: ToolIr
  /** The names of all fields of the result; absent where no schema says what it holds. */
  readonly names?: ReadonlySet<string>
  /** What the ids among them name: `order` for `orderId`. */
  readonly things: ReadonlySet<string>
  /** The words around fields that are called `id`. */
  readonly around: ReadonlySet<string>
  /** The words of the tool's own name. */
  readonly own: ReadonlySet<string>
}

/** Reads which ids a tool answers. */
export function givenIds({ tool, resultFields }: ToolScene): GivenIds {
  const own = new Set(wordsOf(tool.name).map(singular))
  const things = new Set<string>()
  const around = new Set<string>()
  for (const { name, names } of resultFields) {
    const thing = mayNameId.test(name) ? namedById(name) : undefined
    if (thing === undefined) continue
    things.add(thing)
    if (thing !== '') continue
    for (const word of [...names.slice(0, -1).flatMap(wordsOf).map(singular), ...own]) around.add(word)
  }
  const names = new Set(resultFields.map(({ name }) => name))
  return { tool, things, around, own, ...(resultFields.length > 0 && { names }) }
}

/** Spares the words of most names: results can have thousands. */
const mayNameId: RegExp = /(?:ids?|uuid|guid|identifier)$/i

/** Whether an id is answered; a result that nobody describes is taken to have those of what its tool's name says. */
export function gives({ names, things, around, own }: GivenIds, name: string, thing: string): boolean {
  const words = thing.split(' ')
  const isAbout = words.some((word) => own.has(word))
  if (names === undefined) return isAbout
  if (names.has(name) && (namedById(name) !== '' || isAbout)) return true
  return things.has(thing) || words.some((word) => around.has(word))
}

/** The lists with which a tool that lists something answers: the result itself, or direct fields of it. */
export function listsOf(scene: ToolScene): readonly Extract<Shape, { kind: 'array' }>[] {
  if (thingListed(scene) === undefined) return []
  const { tool, toolset } = scene
  const result = plainShape(shapeOf(tool.result, toolset.defs), toolset.defs)
  const locations =
    result.kind === 'object' ? result.fields.map(({ shape }) => plainShape(shape, toolset.defs)) : [result]
  return locations.filter((shape) => shape.kind === 'array')
}

/** Of those lists the ones whose entries are objects with named fields. */
export function listedObjects(scene: ToolScene): readonly { readonly fields: readonly ShapeField[] }[] {
  return listsOf(scene).flatMap(({ items }) => {
    const entry = plainShape(items, scene.toolset.defs)
    return entry.kind === 'object' && entry.fields.length > 0 ? [entry] : []
  })
}

/** Whether a list says how many entries it has at most. */
export function isBounded({ schema }: Shape): boolean {
  return own(schema, 'maxItems') !== undefined
}

const pageWords: ReadonlySet<string> = new Set(
  'limit max maximum page pages cursor offset count top first last take per start skip'.split(' '),
)

/** Whether a field is called like those by which a part of a list is asked for. */
export function speaksOfPages(name: string): boolean {
  return wordsOf(name).some((word) => pageWords.has(word))
}

/** Every tool with those of its fields that meet a condition, where there are any. */
export function toolsWith(
  tools: readonly ToolScene[],
  isMeant: (field: Field, scene: ToolScene) => boolean,
): readonly { readonly scene: ToolScene; readonly first: Field; readonly names: string; readonly many: boolean }[] {
  return tools.flatMap((scene) => {
    const fields = scene.fields.filter((field) => isMeant(field, scene))
    const [first] = fields
    if (first === undefined) return []
    return [{ scene, first, names: listed(fields.map(({ path }) => path)), many: fields.length > 1 }]
  })
}

/** From where a toolset was imported, whose module nobody edits; `undefined` for one that stands in the design itself. */
export function importOf({ name, location, mcp }: ToolsetIr): ImportKind | undefined {
  if (mcp !== undefined) return 'mcp'
  const module = posix.basename(location.file)
  return (['openapi', 'functions'] as const).find((kind) => module === importNames(kind, name).module)
}

const origins: Readonly<Record<ImportKind, string>> = {
  mcp: "an MCP server's: change it there",
  openapi: 'that of an OpenAPI document: change it there and import again',
  functions: 'imported: change its description where it is from and import again',
}

/** What to do about a finding of a rule about an imported tool, which is not the design's to change. */
export function nextOfImported(kind: ImportKind, rule: string): string {
  return `The tool is ${origins[kind]}, leave it out with \`only\`, or give a reason in \`lint: { '${rule}': '...' }\` of the agents that use it.`
}

/** The words of a name, in lower case: `lastOrderId` gives `last`, `order`, `id`. */
export function wordsOf(name: string): readonly string[] {
  return titleOf(name)
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** Words of a text that carry meaning, each in its simplest form, in their order. */
export function meaningfulWords(text: string): readonly string[] {
  return wordsOf(text)
    .filter((word) => !fillers.has(word))
    .map(singular)
}

/** Whether a text says nothing beyond some names. */
export function saysOnly(text: string, names: readonly string[]): boolean {
  const known = new Set(names.flatMap(wordsOf).map(singular))
  return meaningfulWords(text).every((word) => known.has(word))
}

/** A word without the ending of a plural. */
export function singular(word: string): string {
  if (/(?:ss|us|is)$/.test(word) || word.length < 4) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:x|ch|sh|s)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') ? word.slice(0, -1) : word
}

const fillers: ReadonlySet<string> = new Set(
  [
    'a an the this that these those of for to in on at by with from and or as is are be its it all any each which',
    'given specified particular certain following required optional value field parameter argument param property',
    'used use uses will should must can into tool function via using',
  ].flatMap((line) => line.split(' ')),
)

/** Words for what names one of many. */
const idWords: ReadonlySet<string> = new Set(['id', 'ids', 'uuid', 'guid', 'identifier'])

/** What an id names: `orderId` and `order_id` name an `order`, `id` names nothing, so `''`; other names give none. */
function namedById(name: string): string | undefined {
  const words = wordsOf(name)
  const last = words.at(-1)
  if (last === undefined || !idWords.has(last)) return undefined
  return words.slice(0, -1).map(singular).join(' ')
}

/** Whether a text names an id, whatever of. */
export function speaksOfIds(text: string): boolean {
  return wordsOf(text).some((word) => idWords.has(word))
}

/**
 * What a field is an id of, in words: `order` for `orderId`, and for the `id` of `getOrder`; absent for other fields and
 * for ids whose values are listed.
 */
export function thingOf({ name, shape }: Field, { tool }: ToolScene): string | undefined {
  const thing = shape.kind === 'string' || shape.kind === 'number' ? namedById(name) : undefined
  if (thing !== '') return thing
  // What the name of a tool says behind its verb.
  return wordsOf(tool.name).slice(1).map(singular).join(' ')
}

/** What a tool lists by its name: `order` for `listOrdersOfCustomer`; absent where the name says nothing of the kind. */
export function thingListed({ tool }: ToolScene): string | undefined {
  const words = wordsOf(tool.name)
  const verb = words.findIndex((word) => listingVerbs.has(word))
  if (verb === -1) return undefined
  const behind = words.slice(verb + 1)
  const end = behind.findIndex((word) => prepositions.has(word))
  const last = (end === -1 ? behind : behind.slice(0, end)).at(-1)
  return last === undefined ? undefined : singular(last)
}

const listingVerbs: ReadonlySet<string> = new Set('list search find query browse'.split(' '))
const prepositions: ReadonlySet<string> = new Set('for of in on by with from to at'.split(' '))

/** What is not undone by calling something else. */
const grave: ReadonlySet<string> = new Set(
  'delete remove drop purge destroy erase wipe truncate revoke cancel refund pay charge send publish terminate uninstall ban'.split(
    ' ',
  ),
)

/** Verbs before which such a word is what they are about: `listCancelReasons`. */
const harmless: ReadonlySet<string> = new Set(
  'get list search find query browse read show describe count check fetch view lookup look preview validate calculate estimate is has can'.split(
    ' ',
  ),
)

/** The word of a tool's name by which it does what cannot be undone; absent where the name says no such thing. */
export function graveVerb({ name }: ToolIr): string | undefined {
  const verb = wordsOf(name).find((word) => grave.has(word) || harmless.has(word))
  return verb !== undefined && grave.has(verb) ? verb : undefined
}
