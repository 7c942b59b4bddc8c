import { accessText, flatLiteral, stringText } from '../../text/literal.js'
import type { ArgumentPlan, Conversion, SignaturePlan, ToolPlan } from '../plan/plan.js'
import { argumentsType } from './arguments-type.js'
import { conversionText, maybeText, type TextScope } from './conversion-text.js'
import type { FileFunctions } from './file-functions.js'
import type { ServiceToolNames } from './tool-names.js'

/**
 * The TypeScript of one tool's call, to be put into
 * `serviceTool({ payload: (payload: PAYLOAD): argsType => payload, call: (args: argsType) => call,
 * result: (value: answerType): resultType => result, mappers })`.
 * Texts of several lines are indented relative to the line on which they begin.
 */
export interface ServiceToolText {
  /** The array of arguments, written over the variable `payload`; absent when a payload mapper is required. */
  readonly payload?: string
  /** The call, written over the variables `client` and `args`: `client.fetchOrder(...args)`. */
  readonly call: string
  /** The tool's result, written over the variable `value`; absent when a result mapper is required. */
  readonly result?: string
  /** The tuple of arguments that `payload` makes and a payload mapper must make. */
  readonly argsType: string
  /** What the method answers, awaited: what `result` and a result mapper get. */
  readonly answerType: string
  /** What `result` makes: the result's type, or `unknown` where the result codec decides (`result: 'checked'`). */
  readonly resultType: string
  /** The values used of `@toolgen/runtime/codegen/v1`, sorted. */
  readonly helpers: readonly string[]
  /** The types used of `@toolgen/runtime/codegen/v1`, sorted. */
  readonly typeHelpers: readonly string[]
  /** The mappers that the options' type must require. */
  readonly requires: readonly ('payload' | 'result')[]
}

/**
 * Writes the TypeScript of one tool's call from its plan. What it needs on module level goes into `functions`.
 *
 * @example
 * serviceToolText(plan, names, functions)
 * // { payload: '[{ orderId: payload.order_id }]', call: 'client.fetchOrder(...args)', argsType: "Args<SupportOrdersClient['fetchOrder']>", ... }
 */
export function serviceToolText(plan: ToolPlan, names: ServiceToolNames, functions: FileFunctions): ServiceToolText {
  const method = methodType(plan, names.client)
  const ownType = plan.signature.generic && plan.payload.verdict !== 'mapper'
  const written = ownType && 'plan' in plan.payload ? argumentsType(plan.payload.plan, names.payload) : undefined
  const argsType = written ?? pickSignature('Args', method, plan.signature)
  const answerType = pickSignature('Result', method, plan.signature)
  const wholeAnswer = plan.optional.length === 0 ? answerType : `${answerType} | undefined`
  const resultType = plan.result.verdict === 'checked' ? 'unknown' : names.result

  const helpers = new Set<string>()
  const payloadScope = functions.payloadScope(names, helpers)
  const resultScope = functions.resultScope(plan, names, helpers)
  const payload = 'plan' in plan.payload ? argumentsText(plan.payload.plan, 'payload', payloadScope) : undefined
  const result = 'plan' in plan.result ? resultText(plan, plan.result.plan, resultScope) : undefined
  return {
    ...(payload === undefined ? {} : { payload }),
    call: callText(plan),
    ...(result === undefined ? {} : { result }),
    argsType,
    answerType: wholeAnswer,
    resultType,
    helpers: [...helpers].sort(),
    typeHelpers: written === undefined ? ['Args', 'Result'] : ['Result'],
    requires: [
      ...(payload === undefined ? (['payload'] as const) : []),
      ...(result === undefined ? (['result'] as const) : []),
    ],
  }
}

/** The type of the method: `SupportOrdersClient['customers']['retrieve']`. */
function methodType({ method, optional }: ToolPlan, client: string): string {
  return method.reduce((type, step, index) => {
    const owner = optional.includes(index - 1) ? `NonNullable<${type}>` : type
    return `${owner}[${stringText(step)}]`
  }, client)
}

function pickSignature(helper: 'Args' | 'Result', method: string, { fromLast }: SignaturePlan): string {
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
      return conversionText(argument.conversion, payload, scope)
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

function resultText(plan: ToolPlan, conversion: Conversion, scope: TextScope): string {
  const text = conversionText(conversion, plan.unwrapData ? 'value.data' : 'value', scope)
  return text.startsWith('{') ? `(${text})` : text
}
