import { propertyNameText, stringText } from '../text.js'
import { type ConversionFunction, functionText, objectText, type TextScope } from './conversion-text.js'
import type { Conversion, ToolPlan, TypePath, Verdict } from './plan.js'

/** The type that a definition of the toolset has in the executor file: `types.Order`. */
type DefinitionType = (definition: string, form: 'sent' | 'read') => string

/** The functions of one executor file: those of recursive conversions and those that several tools share. */
export interface FileFunctions {
  readonly payloadScope: (names: ServiceToolNames, helpers: Set<string>) => TextScope
  readonly answerScope: (transform: AnswerTransform, helpers: Set<string>) => TextScope
  /** The texts of all functions that were needed, in the order in which they were first asked for. */
  readonly texts: () => readonly string[]
}

/** The functions of an executor over these tools. */
export function fileFunctions(tools: readonly NamedPlan[], definitionType: DefinitionType): FileFunctions {
  const shared = sharedConversions(tools.flatMap((tool) => [updateTransform(tool) ?? [], resultTransform(tool)].flat()))
  const written = new Map<string, string>()
  const taken = new Set<string>()
  const scopes: Map<string, ConversionFunction>[] = []

  const claim = (start: string, definition: string | undefined, stem: string): string => {
    const type = definition === undefined ? `${stem}Part` : definitionType(definition, 'sent')
    const name = `${start}${type.slice(type.lastIndexOf('.') + 1)}`
    let free = name
    for (let number = 2; taken.has(free); number++) free = `${name}${number}`
    taken.add(free)
    return free
  }
  const scope = (own: Omit<TextScope, 'functions'>): TextScope => {
    const functions = new Map<string, ConversionFunction>()
    scopes.push(functions)
    return { ...own, functions }
  }
  const payloadScope: FileFunctions['payloadScope'] = (names, helpers) =>
    scope({
      helpers,
      claimName: (definition) => claim('from', definition, names.stem),
      functionTypes: ({ from, to, definition }) => ({
        from: definition === undefined ? typePathText(names.payload, from) : definitionType(definition, 'read'),
        to: typePathText(names.args, to),
      }),
      sharedFunction: () => undefined,
    })
  const answerScope: FileFunctions['answerScope'] = (transform, helpers) => {
    const inner: TextScope = scope({
      helpers,
      claimName: (definition) => claim('to', definition, transform.stem),
      functionTypes: ({ from, to, definition }) => ({
        from: typePathText(valueType(transform), from),
        to: madeType(
          transform,
          definition === undefined ? typePathText(transform.to, to) : definitionType(definition, 'sent'),
        ),
      }),
      sharedFunction: (conversion) => {
        const key = conversionKey(conversion)
        const found = shared.get(key)
        const isTyped = transform.verdict.verdict !== 'checked' && !transform.generic
        return found === undefined || !isTyped ? undefined : (written.get(key) ?? write(key, found, inner))
      },
    })
    return inner
  }
  const write = (
    key: string,
    { conversion, definition, transform, from }: SharedConversion,
    own: TextScope,
  ): string => {
    const name = claim('to', definition, transform.stem)
    written.set(key, name)
    const types = { from: reachedText(valueType(transform), from), to: definitionType(definition, 'sent') }
    own.functions.set(key, { name, text: functionText(name, types, objectText(conversion, 'value', own)) })
    return name
  }
  return {
    payloadScope,
    answerScope,
    texts: () => scopes.flatMap((functions) => [...functions.values()].map(({ text }) => text)),
  }
}

/** Returns the type of a converted value. The codec decides about a checked result. */
function madeType({ verdict }: AnswerTransform, type: string): string {
  return verdict.verdict === 'checked' ? 'unknown' : type
}

/** The type of what is converted. */
function valueType({ unwrapData, from }: AnswerTransform): string {
  return unwrapData ? `NonNullable<${from}>['data']` : from
}

function reachedText(base: string, { path, guarded }: ReachedType): string {
  return guarded ? typePathText(base, path) : base
}

/** A conversion of one definition that several transforms need: written once, as a function. */
interface SharedConversion {
  readonly conversion: Conversion & { readonly kind: 'object' }
  readonly definition: string
  /** The transform whose types lead to it by the shortest way. */
  readonly transform: AnswerTransform
  readonly from: ReachedType
}

/** Path from the type of a response to the converted type. */
interface ReachedType {
  readonly path: TypePath
  /** Null or undefined was taken out on the way. */
  readonly guarded: boolean
}

interface Occurrences {
  count: number
  shared?: SharedConversion
}

/** Tells conversions apart by what they do, not by where they stand. */
function conversionKey(conversion: Conversion): string {
  return JSON.stringify(conversion)
}

/** The objects that stand in the transforms of an executor more than once, by {@link conversionKey}, in their order. */
function sharedConversions(transforms: readonly AnswerTransform[]): ReadonlyMap<string, SharedConversion> {
  const found = new Map<string, Occurrences>()
  for (const transform of transforms) {
    const { verdict, generic } = transform
    // A checked result has no declared type, a generic answer none that can be written for sure.
    if (verdict.verdict === 'mapper' || verdict.verdict === 'checked' || generic) continue
    collect(verdict.plan, { path: [], guarded: false }, transform, found)
  }
  return new Map(
    [...found].flatMap(([key, { count, shared }]) =>
      count > 1 && shared !== undefined ? [[key, shared] as const] : [],
    ),
  )
}

/** `from` is absent where the type has no text, such as one alternative of a union. */
function collect(
  conversion: Conversion,
  from: ReachedType | undefined,
  transform: AnswerTransform,
  found: Map<string, Occurrences>,
): void {
  switch (conversion.kind) {
    case 'object': {
      if (conversion.part !== undefined && isKnown(conversion, conversion.part.definition, from, transform, found))
        return
      for (const field of conversion.fields) {
        if (field.from === undefined) continue
        collect(field.conversion, onward(from, { kind: 'key', name: field.from }), transform, found)
      }
      return
    }
    case 'array':
      collect(
        conversion.items,
        conversion.from === 'set' ? undefined : onward(from, { kind: 'item', of: 'array' }),
        transform,
        found,
      )
      return
    case 'record':
      collect(
        conversion.values,
        conversion.from === 'map' ? undefined : onward(from, { kind: 'item', of: 'record' }),
        transform,
        found,
      )
      return
    case 'nullable':
    case 'orNull':
      collect(conversion.inner, from && { ...from, guarded: true }, transform, found)
      return
    case 'switch':
    case 'byKind':
      for (const each of conversion.cases) collect(each.conversion, undefined, transform, found)
      return
    default:
      // A recursive conversion is a function already.
      return
  }
}

function onward(from: ReachedType | undefined, step: TypePath[number]): ReachedType | undefined {
  return from && { path: [...from.path, step], guarded: true }
}

function steps({ path, guarded }: ReachedType): number {
  return 2 * path.length + (guarded ? 1 : 0)
}

/** Counts an occurrence; what lies within a conversion is counted with its first one alone. */
function isKnown(
  conversion: Conversion & { readonly kind: 'object' },
  definition: string,
  from: ReachedType | undefined,
  transform: AnswerTransform,
  found: Map<string, Occurrences>,
): boolean {
  const key = conversionKey(conversion)
  const known = found.get(key)
  const occurrences = known ?? { count: 0 }
  found.set(key, occurrences)
  occurrences.count += 1
  const { shared } = occurrences
  if (from !== undefined && (shared === undefined || steps(from) < steps(shared.from))) {
    occurrences.shared = { conversion, definition, transform, from }
  }
  return known !== undefined
}

/**
 * A type reached by a path from one that generated code can name. Each step first leaves out of a union what has no
 * such step.
 */
function typePathText(base: string, path: TypePath): string {
  const type = path.reduce((text, step) => {
    if (step.kind === 'key')
      return `Extract<${text}, { readonly ${propertyNameText(step.name)}?: unknown }>[${stringText(step.name)}]`
    return step.of === 'array' ? `Extract<${text}, readonly unknown[]>[number]` : `Extract<${text}, object>[string]`
  }, base)
  return `NonNullable<${type}>`
}

/** A tool of an executor with the names that its texts use. */
export interface NamedPlan {
  readonly plan: ToolPlan
  readonly names: ServiceToolNames
}

/** Conversion of a method's response to the tool's result, or of a stream item to an update. */
export interface AnswerTransform {
  readonly verdict: Verdict<Conversion>
  /** The types as generated code writes them: of the variable `value`, and of what is made of it. */
  readonly from: string
  readonly to: string
  /** `data` is taken out of `value` before the conversion. */
  readonly unwrapData: boolean
  /** The types of a generic method cannot be written for sure. */
  readonly generic: boolean
  /** See {@link ServiceToolNames}. */
  readonly stem: string
}

/** From the answer, all items or the last item to the result. */
export function resultTransform({ plan, names }: NamedPlan): AnswerTransform {
  const { unwrapData } = plan
  return { ...transformOf(plan, names, plan.result), from: collectedType(plan, names), to: names.result, unwrapData }
}

/** From an item to an update; undefined where the method does not stream. */
export function updateTransform({ plan, names }: NamedPlan): AnswerTransform | undefined {
  if (plan.stream === undefined) return undefined
  return { ...transformOf(plan, names, plan.stream.update), from: names.answer, to: names.update, unwrapData: false }
}

function transformOf(
  { signature: { generic } }: ToolPlan,
  { stem }: ServiceToolNames,
  verdict: Verdict<Conversion>,
): Pick<AnswerTransform, 'verdict' | 'generic' | 'stem'> {
  return { verdict, generic, stem }
}

function collectedType({ stream }: ToolPlan, { answer }: ServiceToolNames): string {
  return stream?.collect === 'list' ? `readonly ${answer}[]` : answer
}

/** The identifiers that the executor file gives to what a tool's texts refer to. */
interface ServiceToolNames {
  /** The client's type: `SupportOrdersClient`. */
  readonly client: string
  /** The payload's type: `GetOrderPayload`. */
  readonly payload: string
  /** The result's type: `GetOrderResult`. */
  readonly result: string
  /** The type of an update: `GetOrderUpdate`; used where the method streams. */
  readonly update: string
  /** Identifier prefix of the tool's types: `GetOrder`. */
  readonly stem: string
  /** The alias of the tuple of arguments: `GetOrderArgs`. */
  readonly args: string
  /** The alias of what the method answers, `GetOrderResponse`; of an item where it streams, `TailItem`. */
  readonly answer: string
}
