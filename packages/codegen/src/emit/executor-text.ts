import type {
  ArgumentPlan,
  Conversion,
  FieldConversion,
  ScalarConversion,
  ToolPlan,
  Verdict,
} from '../services/plan.js'
import { accessText, flatLiteral, keyText, propertyNameText, stringText } from '../text.js'
import { ConversionWriter, type DefinitionType, indented, ModuleFunctions } from './conversion-text.js'
import type { GeneratedFile } from './generated-file.js'
import { typePathText } from './type-paths.js'

export interface NamedPlan {
  readonly plan: ToolPlan
  readonly names: {
    readonly client: string
    readonly payload: string
    readonly result: string
    readonly update: string
    readonly stem: string
    readonly args: string
    readonly response: string
  }
}

export interface TransformText {
  /** Absent if the application must convert the value with a mapper function. */
  readonly body?: string
  readonly reason?: string
  readonly from: string
  /** `unknown` if the codec validates the converted value (`result: { checked: true }`). */
  readonly to: string
  readonly readsMeta?: boolean
}

/** The indentation of later lines is relative to the first line. */
export interface ServiceToolText {
  readonly name: string
  readonly payload: TransformText
  /** Uses the variables `client` and `args`: `client.fetchOrder(...args)`. */
  readonly call: string
  /** Converts the variable `value`: the response, or for a stream an array of all items or the last item. */
  readonly result: TransformText
  readonly update?: TransformText
  readonly collect?: 'list' | 'last'
  readonly aliases: readonly string[]
}

export interface ExecutorText {
  readonly tools: readonly ServiceToolText[]
  readonly functions: readonly string[]
}

export function executorText(
  tools: readonly NamedPlan[],
  definitionType: DefinitionType,
  file: Pick<GeneratedFile, 'value' | 'type'>,
): ExecutorText {
  const transforms = tools.flatMap((tool) => [updateTransform(tool) ?? [], resultTransform(tool)].flat())
  const roots = transforms.flatMap(({ verdict, converted, shares }) =>
    'plan' in verdict && shares ? [[verdict.plan, converted] as const] : [],
  )
  const functions = new ModuleFunctions(file, definitionType, roots)
  const texts = tools.map((tool) => toolText(tool, functions))
  return { tools: texts, functions: functions.texts() }
}

interface ResponseTransform {
  readonly verdict: Verdict<Conversion>
  readonly stem: string
  readonly from: string
  readonly to: string
  readonly converted: string
  /** True if other tools with the same conversion can use the same generated function. */
  readonly shares: boolean
}

function resultTransform({ plan, names }: NamedPlan): ResponseTransform {
  const { result: verdict, stream, signature, unwrapData } = plan
  const from = stream?.collect === 'list' ? `readonly ${names.response}[]` : names.response
  const converted = unwrapData ? `NonNullable<${from}>['data']` : from
  const shares = !signature.generic && verdict.verdict !== 'checked'
  return { verdict, from, to: names.result, converted, shares, stem: names.stem }
}

function updateTransform({ plan: { stream, signature }, names }: NamedPlan): ResponseTransform | undefined {
  if (stream === undefined) return undefined
  const { response: from, update: to, stem } = names
  const verdict = stream.update
  return { verdict, from, to, converted: from, shares: !signature.generic && verdict.verdict !== 'checked', stem }
}

function toolText(tool: NamedPlan, functions: ModuleFunctions): ServiceToolText {
  const { plan, names } = tool
  const { payload, signature, optional, stream } = plan
  const args =
    'plan' in payload
      ? { body: argumentsText(payload.plan, names, functions), readsMeta: payload.plan.some(readsSignal) }
      : { reason: payload.reason }
  const itemTransform = updateTransform(tool)
  const update = itemTransform && transformText(itemTransform, functions)
  const own = signature.generic && 'plan' in payload ? argumentsType(payload.plan, names.payload) : undefined
  const method = plan.method.reduce((type, step, index) => {
    const owner = optional.includes(index - 1) ? `NonNullable<${type}>` : type
    return `${owner}[${stringText(step)}]`
  }, names.client)
  const pick = (helper: string): string =>
    `${functions.file.type(helper)}<${method}${signature.fromLast === 0 ? '' : `, ${signature.fromLast}`}>`
  const response = pick(stream === undefined ? 'MethodResult' : 'MethodItem')
  return {
    name: plan.tool,
    payload: { ...args, from: names.payload, to: names.args },
    call: callText(plan),
    ...(stream && update && { collect: stream.collect, update }),
    result: transformText(resultTransform(tool), functions),
    aliases: [
      `type ${names.args} = ${own ?? pick('MethodArgs')}`,
      `type ${names.response} = ${optional.length === 0 ? response : `${response} | undefined`}`,
    ],
  }
}

function callText({ method, optional, thenable }: ToolPlan): string {
  const isOptional = (index: number): boolean => optional.includes(index)
  // Calls the method on its object, so that `this` has the correct value.
  const owner = method.reduce((text, step, index) => `${text}${accessText(step, isOptional(index - 1))}`, 'client')
  const text = `${owner}${isOptional(method.length - 1) ? '?.' : ''}(...args)`
  // A thenable is not always a `PromiseLike`.
  return thenable ? `Promise.resolve(${text})` : text
}

function argumentsText(args: readonly ArgumentPlan[], names: NamedPlan['names'], functions: ModuleFunctions): string {
  const writer = new ConversionWriter(functions, {
    start: 'from',
    stem: names.stem,
    functionTypes: ({ from, to }, definition) => ({
      from: definition === undefined ? typePathText(names.payload, from) : functions.typeOf(definition, 'read'),
      to: typePathText(names.args, to),
    }),
    shares: false,
  })
  const texts = args.map((argument) => argumentText(argument, writer))
  const flat = `[${texts.join(', ')}]`
  if (texts.length < 2 || (flat.length <= 80 && !flat.includes('\n'))) return flat
  return `[\n${texts.map((text) => `${indented(text)},\n`).join('')}]`
}

function transformText(transform: ResponseTransform, functions: ModuleFunctions): TransformText {
  const { verdict, from, to, converted, stem, shares } = transform
  if (!('plan' in verdict)) return { from, to, reason: verdict.reason }
  const made = (type: string): string => (verdict.verdict === 'checked' ? 'unknown' : type)
  const writer = new ConversionWriter(functions, {
    start: 'to',
    stem,
    functionTypes: (types, definition) => ({
      from: typePathText(converted, types.from),
      to: made(definition === undefined ? typePathText(to, types.to) : functions.typeOf(definition, 'sent')),
    }),
    shares,
  })
  const text = writer.text(verdict.plan, converted === from ? 'value' : 'value.data')
  return { body: text.startsWith('{') ? `(${text})` : text, from, to: made(to) }
}

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
      // To add the signal, a payload that needs no conversion is copied.
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
