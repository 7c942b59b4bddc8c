import { accessText, flatLiteral, keyText, propertyNameText, stringText } from '../text.js'
import { ConversionWriter, type TextContext } from './conversion-text.js'
import type {
  ArgumentPlan,
  Conversion,
  FieldConversion,
  ScalarConversion,
  ToolPlan,
  TypePath,
  Verdict,
} from './plan.js'

/** The identifiers of the executor file that a tool's texts use. */
interface ServiceToolNames {
  /** The client's type: `SupportOrdersClient`. */
  readonly client: string
  /** The payload's type: `GetOrderPayload`. */
  readonly payload: string
  /** The result's type: `GetOrderResult`. */
  readonly result: string
  /** The type of an update: `GetOrderUpdate`; used where the method streams. */
  readonly update: string
  /** The start of the tool's type names, a legal identifier: `GetOrder`. */
  readonly stem: string
  /** The alias of the tuple of arguments: `GetOrderArgs`. */
  readonly args: string
  /** The alias of the method's response, `GetOrderResponse`; of an item where it streams, `TailItem`. */
  readonly response: string
}

/** A tool of an executor with the names that its texts use. */
export interface NamedPlan {
  readonly plan: ToolPlan
  readonly names: ServiceToolNames
}

/** One transform: of the payload, or of the method's response. */
export interface TransformText {
  /** The expression over one variable; absent when a mapper is required. */
  readonly body?: string
  /** The reason why a mapper is required. */
  readonly reason?: string
  /** The type of the variable. */
  readonly from: string
  /** The type of `body`: `unknown` where the codec decides (`result: { checked: true }`). */
  readonly to: string
  /** True when `body` reads the signal of the call: `meta.signal`. */
  readonly readsMeta?: boolean
}

/**
 * The TypeScript of one tool's call, to be put into
 * `serviceTool({ payload: (payload: from, { meta }: MetaSource): to => body, call: (args: payload.to) => call,
 * result: (value: from): to => body, mappers })`, or into `serviceStream` with `update` and `collect` too. Texts of
 * several lines are indented relative to the line on which they begin.
 */
export interface ServiceToolText {
  /** From the payload to the array of arguments, over the variable `payload`. */
  readonly payload: TransformText
  /** The call, over the variables `client` and `args`: `client.fetchOrder(...args)`. */
  readonly call: string
  /** From the response (where the method streams, from all items or the last one) to the result, over `value`. */
  readonly result: TransformText
  /** Present where the method streams: from an item to an update, over `value`. */
  readonly stream?: { readonly collect: 'list' | 'last'; readonly update: TransformText }
  /** The types of the aliases `args` and `response`. */
  readonly argsType: string
  readonly responseType: string
  /** The values and types used of `@toolgen/runtime/codegen/v1`, sorted. */
  readonly helpers: readonly string[]
  readonly typeHelpers: readonly string[]
}

/** Returns the type that a definition of the toolset has in the executor file: `types.Order`. */
type DefinitionType = (definition: string, form: 'sent' | 'read') => string

/**
 * Writes the TypeScript of the tools of one executor file, and the functions that they call: those of recursive
 * conversions and those that several tools share.
 *
 * @example
 * executorText([{ plan, names }], definitionType).tools[0]
 * // { payload: { body: '[{ orderId: payload.order_id }]', ... }, call: 'client.fetchOrder(...args)', ... }
 */
export function executorText(
  tools: readonly NamedPlan[],
  definitionType: DefinitionType,
): { readonly tools: readonly ServiceToolText[]; readonly functions: readonly string[] } {
  const executor = new ExecutorText(tools, definitionType)
  const texts = tools.map((tool) => executor.tool(tool))
  return { tools: texts, functions: executor.functions() }
}

/** The conversion of a tool's response to its result, or of an item of a stream to an update. */
interface ResponseTransform {
  readonly verdict: Verdict<Conversion>
  /** The types as generated code writes them: of the variable `value`, and of the expression. */
  readonly from: string
  readonly to: string
  /** True where `data` is taken out of `value` before the conversion. */
  readonly unwrapData: boolean
  /** True where the codec decides or the method is generic: no types can be written for the conversion. */
  readonly untyped: boolean
  readonly stem: string
}

function resultTransform({ plan, names }: NamedPlan): ResponseTransform {
  return {
    verdict: plan.result,
    from: plan.stream?.collect === 'list' ? `readonly ${names.response}[]` : names.response,
    to: names.result,
    unwrapData: plan.unwrapData,
    untyped: plan.signature.generic || plan.result.verdict === 'checked',
    stem: names.stem,
  }
}

/** Returns undefined where the method does not stream. */
function updateTransform({ plan: { stream, signature }, names }: NamedPlan): ResponseTransform | undefined {
  if (stream === undefined) return undefined
  const untyped = signature.generic || stream.update.verdict === 'checked'
  const { response: from, update: to, stem } = names
  return { verdict: stream.update, from, to, unwrapData: false, untyped, stem }
}

/** Returns the type of the value that a transform converts. */
function valueType({ unwrapData, from }: ResponseTransform): string {
  return unwrapData ? `NonNullable<${from}>['data']` : from
}

class ExecutorText {
  readonly #definitionType: DefinitionType
  readonly #shared: ReadonlyMap<string, SharedConversion>
  /** Names of the shared functions that are written, by conversion. */
  readonly #written = new Map<string, string>()
  readonly #names = new Set<string>()
  readonly #writers: ConversionWriter[] = []

  constructor(tools: readonly NamedPlan[], definitionType: DefinitionType) {
    this.#definitionType = definitionType
    this.#shared = sharedConversions(
      tools.flatMap((tool) => [updateTransform(tool) ?? [], resultTransform(tool)].flat()),
    )
  }

  /** Returns the texts of all functions, in order of their first use. */
  functions(): readonly string[] {
    return this.#writers.flatMap((writer) => writer.functions())
  }

  tool(tool: NamedPlan): ServiceToolText {
    const { plan, names } = tool
    const { payload, signature, optional, stream } = plan
    const first = this.#writers.length
    const args =
      'plan' in payload
        ? { body: this.#arguments(payload.plan, names), readsMeta: payload.plan.some(readsSignal) }
        : { reason: payload.reason }
    const update = updateTransform(tool)
    const updateText = update && this.#transform(update)
    const result = this.#transform(resultTransform(tool))
    const own = signature.generic && 'plan' in payload ? argumentsType(payload.plan, names.payload) : undefined
    const method = plan.method.reduce((type, step, index) => {
      const owner = optional.includes(index - 1) ? `NonNullable<${type}>` : type
      return `${owner}[${stringText(step)}]`
    }, names.client)
    const pick = (helper: string): string =>
      signature.fromLast === 0 ? `${helper}<${method}>` : `${helper}<${method}, ${signature.fromLast}>`
    const helper = stream === undefined ? 'MethodResult' : 'MethodItem'
    return {
      payload: { ...args, from: names.payload, to: names.args },
      call: callText(plan),
      ...(stream !== undefined &&
        updateText !== undefined && {
          stream: { collect: stream.collect, update: updateText },
        }),
      result,
      argsType: own ?? pick('MethodArgs'),
      responseType: optional.length === 0 ? pick(helper) : `${pick(helper)} | undefined`,
      helpers: this.#writers.slice(first).some(({ usesConvert }) => usesConvert) ? ['convert'] : [],
      typeHelpers: own === undefined ? ['MethodArgs', helper] : [helper],
    }
  }

  #arguments(args: readonly ArgumentPlan[], names: ServiceToolNames): string {
    const writer = this.#writer({
      claimName: (definition) => this.#claim('from', definition, names.stem),
      functionTypes: ({ from, to }, definition) => ({
        from: definition === undefined ? typePathText(names.payload, from) : this.#definitionType(definition, 'read'),
        to: typePathText(names.args, to),
      }),
      sharedFunction: () => undefined,
    })
    const texts = args.map((argument) => argumentText(argument, writer))
    const flat = `[${texts.join(', ')}]`
    if (texts.length < 2 || (flat.length <= 80 && !flat.includes('\n'))) return flat
    return `[\n${texts.map((text) => `${text.replace(/^/gm, '  ')},\n`).join('')}]`
  }

  #transform(transform: ResponseTransform): TransformText {
    const { verdict, from, unwrapData } = transform
    if (!('plan' in verdict)) return { from, to: transform.to, reason: verdict.reason }
    const made = (type: string): string => (verdict.verdict === 'checked' ? 'unknown' : type)
    const writer: ConversionWriter = this.#writer({
      claimName: (definition) => this.#claim('to', definition, transform.stem),
      functionTypes: (types, definition) => ({
        from: typePathText(valueType(transform), types.from),
        to: made(
          definition === undefined ? typePathText(transform.to, types.to) : this.#definitionType(definition, 'sent'),
        ),
      }),
      sharedFunction: (conversion) => {
        const key = JSON.stringify(conversion)
        const shared = this.#shared.get(key)
        if (shared === undefined || transform.untyped) return undefined
        return this.#written.get(key) ?? this.#writeShared(key, shared, writer)
      },
    })
    const text = writer.text(verdict.plan, unwrapData ? 'value.data' : 'value')
    return { body: text.startsWith('{') ? `(${text})` : text, from, to: made(transform.to) }
  }

  #writeShared(key: string, { conversion, definition, transform, from }: SharedConversion, writer: ConversionWriter) {
    const name = this.#claim('to', definition, transform.stem)
    this.#written.set(key, name)
    const base = valueType(transform)
    const types = {
      from: from.guarded ? typePathText(base, from.path) : base,
      to: this.#definitionType(definition, 'sent'),
    }
    writer.addFunction(key, name, types, () => writer.object(conversion, 'value'))
    return name
  }

  #writer(context: TextContext): ConversionWriter {
    const writer = new ConversionWriter(context)
    this.#writers.push(writer)
    return writer
  }

  /** Returns a free name for the function of a definition, or of a part of one. */
  #claim(start: 'from' | 'to', definition: string | undefined, stem: string): string {
    const type = definition === undefined ? `${stem}Part` : this.#definitionType(definition, 'sent')
    const name = `${start}${type.slice(type.lastIndexOf('.') + 1)}`
    let free = name
    for (let number = 2; this.#names.has(free); number++) free = `${name}${number}`
    this.#names.add(free)
    return free
  }
}

/** The call on the method's owner, so that `this` is kept. */
function callText({ method, optional, thenable }: ToolPlan): string {
  const isOptional = (index: number): boolean => optional.includes(index)
  const owner = method.reduce((text, step, index) => `${text}${accessText(step, isOptional(index - 1))}`, 'client')
  const text = `${owner}${isOptional(method.length - 1) ? '?.' : ''}(...args)`
  // A thenable need not be a PromiseLike.
  return thenable ? `Promise.resolve(${text})` : text
}

/** The signal of the call, over the variable `meta` of the function that makes the arguments. */
const signalText = 'meta.signal'

function readsSignal(argument: ArgumentPlan): boolean {
  return argument.kind === 'signal' || (argument.kind === 'bag' && argument.signal !== undefined)
}

function argumentText(argument: ArgumentPlan, writer: ConversionWriter): string {
  switch (argument.kind) {
    case 'undefined':
      return 'undefined'
    case 'constant':
      return flatLiteral(argument.value)
    case 'signal':
      return signalText
    case 'bag': {
      const { conversion, signal } = argument
      if (signal === undefined) return writer.text(conversion, 'payload')
      // A payload that is passed on whole is copied to carry the signal.
      const parts = conversion.kind === 'object' ? conversion : { fields: [], rest: true }
      return writer.object(parts, 'payload', [`${keyText(signal)}: ${signalText}`])
    }
    case 'field':
    case 'spread': {
      const { field, kind } = argument
      const isRequired = field.presence === 'required'
      const value = isRequired
        ? writer.text(field.conversion, `payload${accessText(field.from ?? '')}`)
        : writer.maybe(field, 'payload', kind === 'spread' ? '[]' : 'undefined')
      if (kind === 'field') return value
      return isRequired ? `...${value}` : `...(${value})`
    }
  }
}

/** The conversion of one definition that several transforms need: written once, as a function. */
interface SharedConversion {
  readonly conversion: Conversion & { readonly kind: 'object' }
  readonly definition: string
  /** The transform whose types lead to it by the shortest path. */
  readonly transform: ResponseTransform
  readonly from: ReachedType
}

/** The path from a response's type to the type that is converted. */
interface ReachedType {
  readonly path: TypePath
  /** True when null or undefined was taken out on the way. */
  readonly guarded: boolean
}

/** Returns the objects that occur in the transforms of an executor more than once, by their text, in order. */
function sharedConversions(transforms: readonly ResponseTransform[]): ReadonlyMap<string, SharedConversion> {
  const found = new Map<string, { count: number; shared?: SharedConversion }>()
  const length = ({ path, guarded }: ReachedType): number => 2 * path.length + (guarded ? 1 : 0)
  const below = (from: ReachedType | undefined, step: TypePath[number]): ReachedType | undefined =>
    from && { path: [...from.path, step], guarded: true }

  /** @param from absent where the type has no text, such as one alternative of a union */
  const collect = (conversion: Conversion, from: ReachedType | undefined, transform: ResponseTransform): void => {
    switch (conversion.kind) {
      case 'object': {
        if (conversion.part !== undefined) {
          const key = JSON.stringify(conversion)
          const known = found.get(key)
          const occurrences = known ?? { count: 0 }
          found.set(key, occurrences)
          occurrences.count += 1
          if (
            from !== undefined &&
            (occurrences.shared === undefined || length(from) < length(occurrences.shared.from))
          ) {
            occurrences.shared = { conversion, definition: conversion.part.definition, transform, from }
          }
          // The parts of a conversion are counted with its first occurrence alone.
          if (known !== undefined) return
        }
        for (const field of conversion.fields) {
          if (field.from !== undefined)
            collect(field.conversion, below(from, { kind: 'key', name: field.from }), transform)
        }
        return
      }
      case 'array': {
        const items = below(from, { kind: 'item', of: 'array' })
        collect(conversion.items, conversion.from === 'set' ? undefined : items, transform)
        return
      }
      case 'record': {
        const values = below(from, { kind: 'item', of: 'record' })
        collect(conversion.values, conversion.from === 'map' ? undefined : values, transform)
        return
      }
      case 'nullable':
      case 'orNull':
        collect(conversion.inner, from && { ...from, guarded: true }, transform)
        return
      case 'switch':
      case 'byKind':
        for (const each of conversion.cases) collect(each.conversion, undefined, transform)
    }
  }
  for (const transform of transforms) {
    if ('plan' in transform.verdict && !transform.untyped) {
      collect(transform.verdict.plan, { path: [], guarded: false }, transform)
    }
  }
  return new Map(
    [...found].flatMap(([key, { count, shared }]) => (count > 1 && shared !== undefined ? [[key, shared]] : [])),
  )
}

/**
 * Returns a type reached by a path from one that generated code can name. Each step first leaves out of a union the
 * alternatives without such a step.
 */
function typePathText(base: string, path: TypePath): string {
  const type = path.reduce((text, step) => {
    if (step.kind === 'key') {
      return `Extract<${text}, { readonly ${propertyNameText(step.name)}?: unknown }>[${stringText(step.name)}]`
    }
    return step.of === 'array' ? `Extract<${text}, readonly unknown[]>[number]` : `Extract<${text}, object>[string]`
  }, base)
  return `NonNullable<${type}>`
}

/**
 * Returns the tuple of arguments that a plan makes, for a generic method whose own parameters cannot be written without
 * its type arguments; undefined where only the method's type tells a part of it.
 */
function argumentsType(args: readonly ArgumentPlan[], payload: string): string | undefined {
  const types = args.map((argument) => argumentType(argument, payload))
  return types.includes(undefined) ? undefined : `[${types.join(', ')}]`
}

function argumentType(argument: ArgumentPlan, payload: string): string | undefined {
  switch (argument.kind) {
    case 'undefined':
      return 'undefined'
    case 'constant':
      return flatLiteral(argument.value)
    case 'signal':
      return 'AbortSignal'
    case 'bag': {
      const { conversion, signal } = argument
      const type = convertedType(conversion, payload)
      if (signal === undefined) return type
      const carried = `{ ${propertyNameText(signal)}: AbortSignal }`
      if (conversion.kind === 'object' && conversion.fields.length === 0 && !conversion.rest) return carried
      return type && `${type} & ${carried}`
    }
    case 'spread': {
      const type = fieldType(argument.field, payload)
      return type && `...${type}`
    }
    case 'field': {
      const type = fieldType(argument.field, payload)
      return argument.field.presence === 'required' ? type : type && `${type} | undefined`
    }
  }
}

function fieldType({ from, constant, presence, conversion }: FieldConversion, owner: string): string | undefined {
  if (constant !== undefined || from === undefined) return flatLiteral(constant ?? null)
  const type = `${owner}[${stringText(from)}]`
  if (presence === 'required') return convertedType(conversion, type)
  return convertedType(conversion, presence.endsWith('Null') ? `NonNullable<${type}>` : `Exclude<${type}, undefined>`)
}

function convertedType(conversion: Conversion, from: string): string | undefined {
  switch (conversion.kind) {
    case 'pass':
      return from
    case 'cast':
      return 'never'
    case 'null':
      return 'null'
    case 'scalar':
      return scalarTypes[conversion.name]
    case 'array': {
      const items = convertedType(conversion.items, `${from}[number]`)
      return items && (conversion.to === 'set' ? `Set<${items}>` : `(${items})[]`)
    }
    case 'record': {
      const values = convertedType(conversion.values, `${from}[string]`)
      return values && (conversion.to === 'map' ? `Map<string, ${values}>` : `Record<string, ${values}>`)
    }
    case 'nullable': {
      const inner = convertedType(conversion.inner, `NonNullable<${from}>`)
      return inner && `${inner} | null`
    }
    case 'object': {
      if (conversion.rest) return undefined
      const members = conversion.fields.map((field) => {
        const type = fieldType(field, from)
        const name = propertyNameText(field.to)
        if (type === undefined || field.presence === 'required') return type && `${name}: ${type}`
        return field.presence.startsWith('omit') ? `${name}?: ${type}` : `${name}: ${type} | undefined`
      })
      if (members.includes(undefined)) return undefined
      return members.length === 0 ? '{ [key: string]: never }' : `{ ${members.join('; ')} }`
    }
    default:
      return undefined
  }
}

const scalarTypes: Readonly<Record<ScalarConversion, string>> = {
  dateTimeToDate: 'Date',
  dateToDateTime: 'string',
  dateToUtcMidnight: 'Date',
  integerToBigint: 'bigint',
  bigintToString: 'string',
  base64ToBytes: 'Uint8Array<ArrayBuffer>',
  bytesToBase64: 'string',
  stringToUrl: 'URL',
  urlToString: 'string',
}
