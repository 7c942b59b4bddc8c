import { accessText, flatLiteral, keyText, propertyNameText, stringText } from '../text.js'
import { conversionText, maybeText, objectText, type TextScope } from './conversion-text.js'
import {
  type AnswerTransform,
  type FileFunctions,
  type NamedPlan,
  resultTransform,
  updateTransform,
} from './file-functions.js'
import type { ArgumentPlan, Conversion, FieldConversion, ScalarConversion, SignaturePlan, ToolPlan } from './plan.js'

/** One transform: of the payload, or of what the method answers. */
export interface TransformText {
  /** Expression over one variable; absent if a mapper is required. */
  readonly body?: string
  /** Why a mapper is required. */
  readonly reason?: string
  /** The type of the variable. */
  readonly from: string
  /** Type of `body`: `unknown` if the codec decides (`result: { checked: true }`). */
  readonly to: string
  /** Whether `body` reads the signal of the call: `meta.signal`. */
  readonly readsMeta?: boolean
}

/**
 * The TypeScript of one tool's call, to be put into
 * `serviceTool({ payload: (payload: from, { meta }: MetaSource): to => body, call: (args: payload.to) => call,
 * result: (value: from): to => body, mappers })`, or into `serviceStream` with `update` and `collect` too. Texts of several lines are indented relative to the line on which they begin.
 */
export interface ServiceToolText {
  /** From the payload to the array of arguments, over the variable `payload`. */
  readonly payload: TransformText
  /** The call, written over the variables `client` and `args`: `client.fetchOrder(...args)`. */
  readonly call: string
  /** From the answer (where the method streams, from all items or the last one) to the result, over `value`. */
  readonly result: TransformText
  /** There where the method streams: from an item to an update, over `value`. */
  readonly stream?: { readonly collect: 'list' | 'last'; readonly update: TransformText }
  /** Type of `args` and `answer`. */
  readonly argsType: string
  readonly answerType: string
  /** The values used of `@toolgen/runtime/codegen/v1`, sorted. */
  readonly helpers: readonly string[]
  /** The types used of `@toolgen/runtime/codegen/v1`, sorted. */
  readonly typeHelpers: readonly string[]
}

/**
 * Writes the TypeScript of one tool's call from its plan. What it needs on module level goes into `functions`.
 *
 * @example
 * serviceToolText({ plan, names }, functions)
 * // { payload: { body: '[{ orderId: payload.order_id }]', ... }, call: 'client.fetchOrder(...args)', argsType: "MethodArgs<SupportOrdersClient['fetchOrder']>", ... }
 */
export function serviceToolText({ plan, names }: NamedPlan, functions: FileFunctions): ServiceToolText {
  const method = methodType(plan, names.client)
  const ownType = plan.signature.generic && plan.payload.verdict !== 'mapper'
  const written = ownType && 'plan' in plan.payload ? argumentsType(plan.payload.plan, names.payload) : undefined
  const answerHelper = plan.stream === undefined ? 'MethodResult' : 'MethodItem'
  const answerType = pickSignature(answerHelper, method, plan.signature)

  const helpers = new Set<string>()
  const payloadScope = functions.payloadScope(names, helpers)
  const args =
    'plan' in plan.payload
      ? {
          body: argumentsText(plan.payload.plan, 'payload', payloadScope),
          readsMeta: plan.payload.plan.some(carriesSignal),
        }
      : { reason: plan.payload.reason }
  const update = updateTransform({ plan, names })
  return {
    payload: { ...args, from: names.payload, to: names.args },
    call: callText(plan),
    ...(update === undefined || plan.stream === undefined
      ? {}
      : { stream: { collect: plan.stream.collect, update: transformText(update, functions, helpers) } }),
    result: transformText(resultTransform({ plan, names }), functions, helpers),
    argsType: written ?? pickSignature('MethodArgs', method, plan.signature),
    answerType: plan.optional.length === 0 ? answerType : `${answerType} | undefined`,
    helpers: [...helpers].sort(),
    typeHelpers: written === undefined ? ['MethodArgs', answerHelper] : [answerHelper],
  }
}

/** The type of the method: `SupportOrdersClient['customers']['retrieve']`. */
function methodType({ method, optional }: ToolPlan, client: string): string {
  return method.reduce((type, step, index) => {
    const owner = optional.includes(index - 1) ? `NonNullable<${type}>` : type
    return `${owner}[${stringText(step)}]`
  }, client)
}

function pickSignature(
  helper: 'MethodArgs' | 'MethodResult' | 'MethodItem',
  method: string,
  { fromLast }: SignaturePlan,
): string {
  return fromLast === 0 ? `${helper}<${method}>` : `${helper}<${method}, ${fromLast}>`
}

/** The call on the method's owner, so that `this` is kept. */
function callText({ method, optional, thenable }: ToolPlan): string {
  const owner = method.reduce(
    (text, step, index) => `${text}${accessText(step, optional.includes(index - 1))}`,
    'client',
  )
  const text = `${owner}${optional.includes(method.length - 1) ? '?.' : ''}(...args)`
  // A thenable need not be a PromiseLike.
  return thenable ? `Promise.resolve(${text})` : text
}

function argumentsText(args: readonly ArgumentPlan[], payload: string, scope: TextScope): string {
  const texts = args.map((argument) => argumentText(argument, payload, scope))
  const flat = `[${texts.join(', ')}]`
  if (texts.length < 2 || (flat.length <= 80 && !flat.includes('\n'))) return flat
  return `[\n${texts.map((text) => `${text.replace(/^/gm, '  ')},\n`).join('')}]`
}

function argumentText(argument: ArgumentPlan, payload: string, scope: TextScope): string {
  switch (argument.kind) {
    case 'undefined':
      return 'undefined'
    case 'constant':
      return flatLiteral(argument.value)
    case 'bag':
      return bagText(argument, payload, scope)
    case 'signal':
      return signalText
    case 'field': {
      const { from = '', presence, conversion } = argument.field
      if (presence !== 'required') return maybeText(argument.field, payload, scope)
      return conversionText(conversion, `${payload}${accessText(from)}`, scope)
    }
    case 'spread': {
      const { presence } = argument.field
      if (presence !== 'required') return `...(${maybeText(argument.field, payload, scope, '[]')})`
      const items = conversionText(
        argument.field.conversion,
        `${payload}${accessText(argument.field.from ?? '')}`,
        scope,
      )
      return `...${items}`
    }
  }
}

/** The payload passed on whole is copied where it is to carry the signal. */
function bagText({ conversion, signal }: ArgumentPlan & { kind: 'bag' }, payload: string, scope: TextScope): string {
  if (signal === undefined) return conversionText(conversion, payload, scope)
  const parts = conversion.kind === 'object' ? conversion : { fields: [], rest: true }
  return objectText(parts, payload, scope, [`${keyText(signal)}: ${signalText}`])
}

function carriesSignal(argument: ArgumentPlan): boolean {
  return argument.kind === 'signal' || (argument.kind === 'bag' && argument.signal !== undefined)
}

/** Read where the arguments are made, over the variable `meta`. */
const signalText = 'meta.signal'

function transformText(transform: AnswerTransform, functions: FileFunctions, helpers: Set<string>): TransformText {
  const { verdict, from, to, unwrapData } = transform
  if (!('plan' in verdict)) return { from, to, reason: verdict.reason }
  const scope = functions.answerScope(transform, helpers)
  const text = conversionText(verdict.plan, unwrapData ? 'value.data' : 'value', scope)
  const body = text.startsWith('{') ? `(${text})` : text
  return { body, from, to: verdict.verdict === 'checked' ? 'unknown' : to }
}

/**
 * The tuple of arguments that a plan makes, for a generic method whose own parameters cannot be written without its type
 * arguments; undefined where the plan makes something that only the method's type can tell.
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
    case 'bag':
      return bagType(argument, payload)
    case 'signal':
      return 'AbortSignal'
    case 'spread': {
      const type = fieldType(argument.field, payload)
      return type === undefined ? undefined : `...${type}`
    }
    default: {
      const type = fieldType(argument.field, payload)
      return type === undefined || argument.field.presence === 'required' ? type : `${type} | undefined`
    }
  }
}

function bagType({ conversion, signal }: ArgumentPlan & { kind: 'bag' }, payload: string): string | undefined {
  if (signal === undefined) return convertedType(conversion, payload)
  const carried = `{ ${propertyNameText(signal)}: AbortSignal }`
  if (conversion.kind === 'object' && conversion.fields.length === 0 && !conversion.rest) return carried
  const type = convertedType(conversion, payload)
  return type === undefined ? undefined : `${type} & ${carried}`
}

function fieldType(field: FieldConversion, owner: string): string | undefined {
  if (field.constant !== undefined || field.from === undefined) return flatLiteral(field.constant ?? null)
  const type = `${owner}[${stringText(field.from)}]`
  const dropsNull = field.presence === 'omitNull' || field.presence === 'undefinedNull'
  if (field.presence === 'required') return convertedType(field.conversion, type)
  return convertedType(field.conversion, dropsNull ? `NonNullable<${type}>` : `Exclude<${type}, undefined>`)
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
      if (items === undefined) return undefined
      return conversion.to === 'set' ? `Set<${items}>` : `(${items})[]`
    }
    case 'record': {
      const values = convertedType(conversion.values, `${from}[string]`)
      if (values === undefined) return undefined
      return conversion.to === 'map' ? `Map<string, ${values}>` : `Record<string, ${values}>`
    }
    case 'nullable': {
      const inner = convertedType(conversion.inner, `NonNullable<${from}>`)
      return inner === undefined ? undefined : `${inner} | null`
    }
    case 'object':
      return objectType(conversion, from)
    default:
      return undefined
  }
}

function objectType(conversion: Conversion & { kind: 'object' }, from: string): string | undefined {
  if (conversion.rest) return undefined
  const members = conversion.fields.map((field) => {
    const type = fieldType(field, from)
    const name = propertyNameText(field.to)
    if (type === undefined) return undefined
    if (field.presence === 'required') return `${name}: ${type}`
    return field.presence.startsWith('omit') ? `${name}?: ${type}` : `${name}: ${type} | undefined`
  })
  if (members.includes(undefined)) return undefined
  return members.length === 0 ? '{ [key: string]: never }' : `{ ${members.join('; ')} }`
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
